import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { createRepository } from '../setup.ts'
import { WAYMARK, waymark } from './binary.ts'

const require = createRequire(import.meta.url)

function inspectorPath(): string {
  const manifest = require.resolve('@modelcontextprotocol/inspector/package.json')
  const { bin } = require(manifest) as { bin: Record<string, string> }
  return join(dirname(manifest), bin['mcp-inspector'] ?? '')
}

function inspect(cwd: string, args: readonly string[]): Promise<string> {
  const env = { ...process.env, HOME: mkdtempSync(join(tmpdir(), 'waymark-home-')) }
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [inspectorPath(), '--cli', ...args], { cwd, env }, (error, out) =>
      error === null ? resolve(out) : reject(error),
    )
  })
}

it.each(['legacy', 'modern'])(
  'the Inspector lists the tools of the medulla dialect in the %s era',
  async (era) => {
    await using repository = createRepository()
    await waymark(repository.directory, ['init'])
    const target = [
      'node',
      WAYMARK,
      'serve',
      '--dialect',
      'medulla',
      '--method',
      'tools/list',
      '--format',
      'json',
    ]
    const { result } = JSON.parse(
      await inspect(repository.directory, ['--protocol-era', era, ...target]),
    )
    const names = (result as { tools: { name: string }[] }).tools.map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining([
        'entity_create',
        'entity_list',
        'relation_create',
        'graph_relations',
      ]),
    )
  },
)
