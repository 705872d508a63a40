import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { describe, expect, it } from 'vitest'
import { installMcp } from '../../../src/surfaces/install/mcp-install.ts'
import { WAYMARK, waymark } from '../../e2e/binary.ts'
import { createTestRepository } from '../../git/repository.ts'
import { createTestTerminal } from '../../surface/test-terminal.ts'

const RUNNING = { node: process.execPath, script: WAYMARK }

interface Entry {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
}

function readServers(file: string): Record<string, Entry> {
  return (JSON.parse(readFileSync(file, 'utf8')) as { mcpServers: Record<string, Entry> })
    .mcpServers
}

describe('mcp install', () => {
  it('12. creates .mcp.json with the right entry, and does nothing the second time [install-12-creates]', async () => {
    await using test = createTestRepository()
    const file = join(test.directory, '.mcp.json')
    const first = await waymark(test.directory, ['mcp', 'install'])
    expect(first).toMatchObject({ exit: 0, out: `added: ultragit in ${file}\n` })
    const bytes = readFileSync(file, 'utf8')
    expect(readServers(file)['ultragit']).toMatchObject({ cwd: test.directory })
    expect(readServers(file)['ultragit']?.args.slice(-2)).toEqual(['mcp', 'start'])
    expect((await waymark(test.directory, ['mcp', 'install'])).out).toBe(
      `unchanged: ultragit in ${file}\n`,
    )
    expect(readFileSync(file, 'utf8')).toBe(bytes)
  })

  it('other entries, comments and layout of an existing file are preserved [install-entries-comments]', async () => {
    await using test = createTestRepository()
    const before =
      '{\n    // mine\n    "mcpServers": {\n        "other": { "command": "x", "args": [] }\n    },\n    "theme": "dark"\n}\n'
    test.write({ '.mcp.json': before })
    const terminal = createTestTerminal(test.directory, { env: { HOME: test.directory } })
    expect(await installMcp({}, terminal, RUNNING)).toBe(0)
    const after = readFileSync(join(test.directory, '.mcp.json'), 'utf8')
    expect(after).toContain('// mine')
    expect(after).toContain('"other": { "command": "x", "args": [] }')
    expect(after).toContain('"theme": "dark"')
    expect(after).toContain('"ultragit"')
  })

  it('out of the cache of npx nothing is written', async () => {
    await using test = createTestRepository()
    const script = '_npx/abc/node_modules/waymark/bin/waymark.js'
    test.write({ [script]: '' })
    const terminal = createTestTerminal(test.directory, { env: { HOME: test.directory } })
    await expect(
      installMcp({}, terminal, { ...RUNNING, script: join(test.directory, script) }),
    ).rejects.toThrow('install it to stay, from the same file or address')
    expect(existsSync(join(test.directory, '.mcp.json'))).toBe(false)
  })

  it('an entry with other arguments is updated [install-entry-arguments]', async () => {
    await using test = createTestRepository()
    const file = join(test.directory, '.mcp.json')
    const old = {
      mcpServers: { ultragit: { command: 'ultragit', args: ['mcp', 'start', '--old'] } },
    }
    writeFileSync(file, JSON.stringify(old))
    const terminal = createTestTerminal(test.directory)
    await installMcp({}, terminal, RUNNING)
    expect(terminal.output.out).toBe(`updated: ultragit in ${file}\n`)
    expect(readServers(file)['ultragit']?.args).not.toContain('--old')
  })

  it('what the user added to the entry stays, comments included [install-user-added]', async () => {
    await using test = createTestRepository()
    const file = join(test.directory, '.mcp.json')
    const terminal = createTestTerminal(test.directory)
    await installMcp({}, terminal, RUNNING)
    const own = '"env": { "PROXY": "x" }, // mine\n      "args": ["--old"'
    const edited = readFileSync(file, 'utf8').replace(/"args": \[/, `${own}, `)
    writeFileSync(file, edited)
    await installMcp({}, terminal, RUNNING)
    const after = readFileSync(file, 'utf8')
    expect(after).toContain('"env": { "PROXY": "x" }, // mine\n')
    expect(after).not.toContain('--old')
    await installMcp({}, terminal, RUNNING)
    expect(terminal.output.out.split('\n').map((said) => said.split(':')[0])).toEqual([
      'added',
      'updated',
      'unchanged',
      '',
    ])
    expect(readFileSync(file, 'utf8')).toBe(after)
  })

  it('--config names the file; --global is that of Claude Desktop on each platform [install-config-names]', async () => {
    await using test = createTestRepository()
    const home = mkdtempSync(join(tmpdir(), 'waymark-home-'))
    const terminal = createTestTerminal(test.directory, { env: { HOME: home } })
    await installMcp({ config: 'conf/servers.json' }, terminal, RUNNING)
    expect(readServers(join(test.directory, 'conf/servers.json'))['ultragit']).toBeDefined()
    await installMcp({ global: true }, terminal, RUNNING)
    const places = {
      linux: '.config/Claude/claude_desktop_config.json',
      darwin: 'Library/Application Support/Claude/claude_desktop_config.json',
      win32: 'AppData/Roaming/Claude/claude_desktop_config.json',
    } as Record<string, string>
    const entry = readServers(join(home, places[process.platform] ?? ''))['ultragit']
    expect(entry?.command).toBe(process.execPath)
    expect(entry?.args.slice(-4)).toEqual(['mcp', 'start', '--repo', test.directory])
    rmSync(home, { recursive: true })
  })

  it('a file that is no JSON is left as it is, and said to be so', async () => {
    await using test = createTestRepository()
    mkdirSync(join(test.directory, 'x'))
    test.write({ '.mcp.json': '{ broken' })
    const { exit, err } = await waymark(test.directory, ['mcp', 'install'])
    expect(exit).not.toBe(0)
    expect(err).toContain('error:')
    expect(readFileSync(join(test.directory, '.mcp.json'), 'utf8')).toBe('{ broken')
  })

  it('15. an MCP client discovers and calls the tools after the installation [install-15-mcp]', async () => {
    await using test = createTestRepository()
    test.commit('one', { 'a.ts': 'export function a() {}\n' })
    await waymark(test.directory, ['mcp', 'install'])
    const entry = readServers(join(test.directory, '.mcp.json'))['ultragit']
    const client = new Client({ name: 'host', version: '1' })
    await client.connect(
      new StdioClientTransport({
        command: entry?.command ?? '',
        args: [...(entry?.args ?? [])],
        cwd: entry?.cwd ?? '',
      }),
    )
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('ultragit_read')
    const result = await client.callTool({ name: 'ultragit_read', arguments: { path: 'a.ts' } })
    expect(JSON.stringify(result)).toContain('ultragit-read/v1')
    await client.close()
  })
})
