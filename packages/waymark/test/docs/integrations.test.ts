import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse as parseToml } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { PROMPTS } from '../../src/dialects/waymark/prompts.ts'
import { READING_TOOLS } from '../../src/install/hosts/shapes.ts'
import { VERSION } from '../../src/support/version.ts'

const top = fileURLToPath(new URL('../../../../integrations/', import.meta.url))
const read = (path: string) => readFileSync(join(top, path), 'utf8')
const json = (path: string) => JSON.parse(read(path)) as Record<string, unknown>

const FILES = readdirSync(top, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(top, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))

const ending = (end: string) => FILES.filter((path) => path.endsWith(end))

/** The fields in front of a Markdown file. */
function fieldsOf(path: string): Record<string, unknown> {
  const [, fields = ''] = /^---\n([^]*?)\n---\n/.exec(read(path)) ?? []
  return parseYaml(fields) as Record<string, unknown>
}

describe('the packages of hosts', () => {
  it('have the version of the command', () => {
    const manifests = [...ending('plugin.json'), ...ending('-extension.json')]
    expect(manifests).toHaveLength(5)
    for (const path of manifests)
      expect(json(path), path).toMatchObject({ name: 'waymark', version: VERSION })
  })

  it('start nothing but `waymark`, by its name', () => {
    const started = ending('.json').flatMap((path) => commandsIn(json(path)))
    expect(started.length).toBeGreaterThan(10)
    expect(started.filter((command) => !/^waymark( |$)/.test(command))).toEqual([])
    expect(read('opencode/plugin/waymark.js')).toMatch(
      /^\/\/ Runs `waymark hook`.*\n[^]*const COMMAND = \["waymark"\]/,
    )
  })

  it('are where the marketplaces say', () => {
    const marketplaces = ending('marketplace.json')
    expect(marketplaces).toHaveLength(3)
    for (const path of marketplaces) {
      const [plugin] = json(path)['plugins'] as [{ source: string | { path: string } }]
      const source = typeof plugin.source === 'string' ? plugin.source : plugin.source.path
      expect(existsSync(join(top, source, 'skills/waymark/SKILL.md')), path).toBe(true)
    }
  })

  it('have a command for each prompt, in the form that the host reads', () => {
    for (const { name, description } of PROMPTS) {
      const toml = parseToml(read(`gemini/commands/waymark/${name}.toml`))
      expect(toml).toEqual({ description, prompt: expect.stringContaining('{{args}}') })
      const claude = `claude-code/commands/${name}.md`
      expect(fieldsOf(claude)).toMatchObject({
        description,
        'argument-hint': expect.stringMatching(/^\[\w+\]$/),
      })
      expect(read(claude)).toContain('$ARGUMENTS')
      for (const path of [
        `qwen/commands/waymark/${name}.md`,
        `opencode/command/waymark-${name}.md`,
      ])
        expect(fieldsOf(path), path).toEqual({ description })
    }
  })

  it('let tools that only read run without a question, and no others [package-permissions]', () => {
    for (const { name } of PROMPTS) {
      const allowed = String(fieldsOf(`claude-code/commands/${name}.md`)['allowed-tools'])
      const tools = allowed.split(', ').map((tool) => tool.replace(/^mcp__.*__/, ''))
      expect(tools).toEqual(READING_TOOLS)
    }
  })
})

/** Every command line, or program, that a file of a host names. */
function commandsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(commandsIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    if (!['command', 'bash', 'powershell'].includes(key)) return commandsIn(inner)
    return [Array.isArray(inner) ? inner.join(' ') : String(inner)]
  })
}
