import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { parseEntry, runsWaymark } from '../../src/install/ledger/entry.ts'
import type { Host, Scope } from '../../src/install/hosts/host.ts'
import listed from '../../src/dialects/waymark/tools.generated.json' with { type: 'json' }
import { HOOK_HOSTS } from '../../src/hook/host/hosts.ts'
import { READING_TOOLS } from '../../src/install/hosts/shapes.ts'
import { HOSTS } from '../../src/install/hosts/hosts.ts'
import {
  type Machine,
  machineOf,
  PLATFORMS,
  userFolder,
} from '../../src/install/machine/machine.ts'
import { entryOf, locate, type Wish } from '../../src/install/target.ts'

interface Listed {
  readonly name: string
  readonly toolset?: string
  readonly annotations?: { readonly readOnlyHint?: boolean }
}

const TOOLS = JSON.parse(
  readFileSync(new URL('../../src/dialects/waymark/tools.generated.json', import.meta.url), 'utf8'),
) as readonly Listed[]

const MACHINES = {
  linux: machineOf({ HOME: '/home/kim' }, 'linux'),
  darwin: machineOf({ HOME: '/Users/kim' }, 'darwin'),
  win32: machineOf(
    { USERPROFILE: 'C:\\Users\\kim', APPDATA: 'C:\\Users\\kim\\AppData\\Roaming' },
    'win32',
  ),
} as const satisfies Record<string, Machine>

const PROGRAM = { words: ['waymark'], absolute: ['/usr/bin/node', '/lib/waymark.js'] }

function wishFor(machine: Machine, scope: Scope): Wish {
  return { machine, scope, root: '/project', program: PROGRAM, serveOptions: [] }
}

function globalFile(name: string, machine: Machine): string | undefined {
  const host = HOSTS.find((each) => each.name === name)
  return host && locate(host.files, wishFor(machine, 'global'))
}

describe('the table of hosts', () => {
  it('has names that are easy to type and no two of the same', () => {
    const names = HOSTS.map(({ name }) => name)
    expect(names.filter((name) => !/^[a-z][a-z-]+$/.test(name))).toEqual([])
    expect(new Set(names).size).toBe(names.length)
  })

  it.each([
    [
      'claude-code',
      '/home/kim/.claude.json',
      '/Users/kim/.claude.json',
      'C:\\Users\\kim\\.claude.json',
    ],
    [
      'claude-desktop',
      '/home/kim/.config/Claude/claude_desktop_config.json',
      '/Users/kim/Library/Application Support/Claude/claude_desktop_config.json',
      'C:\\Users\\kim\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
    ],
    [
      'vscode',
      '/home/kim/.config/Code/User/mcp.json',
      '/Users/kim/Library/Application Support/Code/User/mcp.json',
      'C:\\Users\\kim\\AppData\\Roaming\\Code\\User\\mcp.json',
    ],
    [
      'zed',
      '/home/kim/.config/zed/settings.json',
      '/Users/kim/.config/zed/settings.json',
      'C:\\Users\\kim\\AppData\\Roaming\\Zed\\settings.json',
    ],
    [
      'goose',
      '/home/kim/.config/goose/config.yaml',
      '/Users/kim/.config/goose/config.yaml',
      'C:\\Users\\kim\\AppData\\Roaming\\Block\\goose\\config\\config.yaml',
    ],
    ['visual-studio', undefined, undefined, 'C:\\Users\\kim\\.mcp.json'],
    [
      'cline',
      '/home/kim/.cline/data/settings/cline_mcp_settings.json',
      '/Users/kim/.cline/data/settings/cline_mcp_settings.json',
      'C:\\Users\\kim\\.cline\\data\\settings\\cline_mcp_settings.json',
    ],
  ])('%s is configured in the right file on every system', (name, linux, darwin, win32) => {
    expect(PLATFORMS.map((platform) => globalFile(name, MACHINES[platform]))).toEqual([
      linux,
      darwin,
      win32,
    ])
  })

  it.each([
    ['codex', { CODEX_HOME: '/x' }, '/x/config.toml'],
    ['claude-code', { CLAUDE_CONFIG_DIR: '/x' }, '/x/.claude.json'],
    ['copilot', { COPILOT_HOME: '/x' }, '/x/mcp-config.json'],
    ['opencode', { XDG_CONFIG_HOME: '/x' }, '/x/opencode/opencode.json'],
    ['cline', { CLINE_DIR: '/x' }, '/x/data/settings/cline_mcp_settings.json'],
    ['cline', { CLINE_DATA_DIR: '/x' }, '/x/settings/cline_mcp_settings.json'],
    ['cline', { CLINE_MCP_SETTINGS_PATH: '/x/servers.json' }, '/x/servers.json'],
  ])('%s goes where %j says', (name, env, file) => {
    expect(globalFile(name, machineOf({ HOME: '/home/kim', ...env }, 'linux'))).toBe(file)
  })

  it('every event that a host has is installed, and the tools that only read need no question', () => {
    for (const { name, hook } of HOSTS) {
      if (hook === undefined) continue
      const line = (event: string) => `waymark hook ${event}`
      const run = { line, words: ['waymark'], platform: 'linux' } as const
      const written = JSON.stringify(hook.edits?.(line) ?? hook.contents?.(run))
      for (const [event, names] of Object.entries(HOOK_HOSTS[hook.dialect]?.events ?? {}))
        for (const native of names) {
          expect(written, `${name} ${event}`).toContain(native)
          expect(written, `${name} ${event}`).toMatch(
            new RegExp(`waymark hook ${event}|run\\('${event}'|\\['${event}'`),
          )
        }
    }
    const reads = TOOLS.filter(
      ({ toolset, annotations }) => toolset === 'core' && annotations?.readOnlyHint === true,
    )
    expect([...READING_TOOLS].toSorted()).toEqual(reads.map(({ name }) => name).toSorted())
  })

  it('our own notes are where programs keep such things', () => {
    expect(PLATFORMS.map((platform) => userFolder(MACHINES[platform]))).toEqual([
      '/home/kim/.config/waymark',
      '/Users/kim/.config/waymark',
      'C:\\Users\\kim\\AppData\\Roaming\\waymark',
    ])
    expect(() => userFolder(machineOf({}, 'linux'))).toThrow('HOME is not set')
  })

  it.each(HOSTS)('$title: the entry starts the server, and is recognised as ours', (host) => {
    const entry = entryOf(host, wishFor(MACHINES.linux, host.files.project ? 'project' : 'global'))
    expect(runsWaymark(entry)).toBe(true)
    expect(parseEntry(entry)).toMatchObject({
      kind: 'stdio',
      words: expect.arrayContaining(['serve']),
    })
  })

  it.each(HOSTS.filter(({ http }) => http !== undefined))(
    '$title: an HTTP entry leads to the address and holds no secret',
    (host) => {
      const http = { url: 'http://127.0.0.1:1/mcp', tokenVariable: 'WAYMARK_TOKEN' }
      const entry = entryOf(host, { ...wishFor(MACHINES.linux, 'project'), http })
      expect(parseEntry(entry)).toMatchObject({ kind: 'http', url: http.url })
      const [header] = Object.values(
        (parseEntry(entry) as { headers: Record<string, string> }).headers,
      )
      if (header !== undefined) expect(header).toMatch(/^Bearer .*WAYMARK_TOKEN/)
    },
  )

  it('the tools that need no question are those that only read [install-reading-tools]', () => {
    const core = listed.filter(({ toolset }) => toolset === 'core')
    const reading = core.filter(({ annotations }) => annotations?.readOnlyHint === true)
    expect(READING_TOOLS).toEqual(reading.map(({ name }) => name).toSorted())
  })

  it('hosts that share a place in a file agree on what belongs there', () => {
    for (const scope of ['project', 'global'] as const) {
      const places = new Map<string, [Host, unknown]>()
      for (const host of HOSTS) {
        const wish = wishFor(MACHINES.win32, scope)
        const file = locate(host.files, wish)
        if (file === undefined) continue
        const known = places.get(`${file} ${host.key}`)
        const entry = entryOf(host, wish)
        if (known !== undefined)
          expect(isDeepStrictEqual(known[1], entry), `${known[0].name}, ${host.name}`).toBe(true)
        places.set(`${file} ${host.key}`, [host, entry])
      }
    }
  })
})

describe('an entry that is not ours', () => {
  it.each([
    { command: 'waymark' },
    { command: 'node', args: ['server.js', 'serve'] },
    { command: 'evil', args: ['serve', 'waymark'] },
    { url: 'http://waymark/serve' },
    'waymark serve',
    null,
  ])('is not taken for ours: %j', (entry) => {
    expect(runsWaymark(entry)).toBe(false)
  })
})
