import { existsSync, mkdirSync, symlinkSync, writeFileSync, chmodSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { machineOf } from '../../src/install/machine/machine.ts'
import { findProgram, joinWords, splitWords } from '../../src/install/machine/program.ts'
import { runCli } from '../../src/surfaces/cli/cli.ts'
import { installCommand, type InstallOptions } from '../../src/surfaces/install/install-command.ts'
import { createTestTerminal } from '../surface/test-terminal.ts'
import { createHome } from './home.ts'

const json = (text: string) =>
  JSON.parse(text) as { mcpServers: { waymark: { command: string; args: string[] } } }

describe('what hosts are told to start', () => {
  it('is Node and this script, if PATH does not lead here', async () => {
    await using home = await createHome()
    await home.install(['claude-code'])
    const { waymark } = json(home.read(join(home.root, '.mcp.json')).toString('utf8')).mcpServers
    expect(waymark).toEqual({
      type: 'stdio',
      command: process.execPath,
      args: [home.running.script, 'serve'],
      alwaysLoad: true,
    })
  })

  it('is `waymark`, if PATH leads to this very script, but not for desktop applications', async () => {
    await using home = await createHome()
    const bin = join(home.home, 'bin')
    mkdirSync(bin)
    chmodSync(home.running.script, 0o755)
    symlinkSync(home.running.script, join(bin, 'waymark'))
    const env = { ...home.env, PATH: bin }
    await home.install(['claude-code'], {}, { env })
    await home.install(['claude-desktop'], { global: true }, { env })
    const project = json(home.read(join(home.root, '.mcp.json')).toString('utf8'))
    expect(project.mcpServers.waymark).toMatchObject({ command: 'waymark', args: ['serve'] })
    const desktop = json(
      home.read(join(home.home, '.config/Claude/claude_desktop_config.json')).toString('utf8'),
    )
    expect(desktop.mcpServers.waymark).toEqual({
      command: process.execPath,
      args: [home.running.script, '-C', home.root, 'serve'],
    })
  })

  it('is not what PATH leads to, if that is another waymark or a folder of npm’s', async () => {
    await using home = await createHome()
    const other = join(home.home, 'other')
    const npm = join(home.home, 'node_modules', '.bin')
    for (const folder of [other, npm]) mkdirSync(folder, { recursive: true })
    writeFileSync(join(other, 'waymark'), '', { mode: 0o755 })
    symlinkSync(home.running.script, join(npm, 'waymark'))
    const machine = machineOf({ ...home.env, PATH: `${npm}:${other}` })
    expect(findProgram(machine, home.running).words).toEqual([
      process.execPath,
      home.running.script,
    ])
  })

  it('is never npx: if npx has started us, a lasting install or --command is asked for', async () => {
    await using home = await createHome()
    const script = join(home.home, '.npm/_npx/abc/node_modules/waymark/bin/waymark.js')
    home.write(script, '')
    const before = home.files()
    const run = async (options: InstallOptions) => {
      const terminal = createTestTerminal(home.root, { env: home.env })
      const exit = await installCommand(['cursor'], options, terminal, { ...home.running, script })
      return { exit, ...terminal.output }
    }
    for (const options of [{}, { hooks: true }, { print: true }, { http: true, hooks: true }]) {
      await expect(run(options as InstallOptions)).rejects.toThrow(
        /^this waymark was started from the cache of npx.* install it to stay.*, or name what to start with --command$/,
      )
    }
    expect(home.files()).toEqual(before)
    for (const options of [{ list: true }, { uninstall: true }, { http: true }, { command: 'x' }]) {
      expect((await run(options as InstallOptions)).exit).toBe(0)
    }
  })

  it('is what --command says, with options for the server', async () => {
    await using home = await createHome()
    await home.install(['claude-code'], {
      command: 'npx -y "way mark@1"',
      serveOptions: '--read-only',
    })
    expect(
      json(home.read(join(home.root, '.mcp.json')).toString('utf8')).mcpServers.waymark,
    ).toMatchObject({
      command: 'npx',
      args: ['-y', 'way mark@1', 'serve', '--read-only'],
    })
  })

  it('is an address with --http, and the credential is only named', async () => {
    await using home = await createHome()
    const names = ['claude-code', 'cursor', 'codex', 'gemini', 'opencode']
    await home.install(names, { http: 'http://127.0.0.1:7777/mcp' })
    const text = (path: string) => home.read(join(home.root, path)).toString('utf8')
    expect(JSON.parse(text('.mcp.json'))).toEqual({
      mcpServers: {
        waymark: {
          type: 'http',
          url: 'http://127.0.0.1:7777/mcp',
          headers: { Authorization: 'Bearer ${WAYMARK_TOKEN}' },
          alwaysLoad: true,
        },
      },
    })
    expect(text('.cursor/mcp.json')).toContain('"Bearer ${env:WAYMARK_TOKEN}"')
    expect(text('.codex/config.toml')).toContain('bearer_token_env_var = "WAYMARK_TOKEN"')
    expect(text('.gemini/settings.json')).toContain('"httpUrl"')
    expect(text('opencode.json')).toContain('"Bearer {env:WAYMARK_TOKEN}"')
    expect(await home.install(['junie'], { http: 'http://127.0.0.1/mcp' })).toMatchObject({
      exit: 2,
      err: expect.stringContaining('Junie cannot be given an HTTP server in its file'),
    })
  })

  it.each([
    ['a "b c" \'d e\'', ['a', 'b c', 'd e']],
    ['"C:\\Program Files\\node.exe" x', ['C:\\Program Files\\node.exe', 'x']],
    ['  ', []],
  ])('words are split as a person means them: %s', (text, words) => {
    expect(splitWords(text)).toEqual(words)
  })

  it('a line for a shell is quoted, or refused', () => {
    const linux = machineOf({}, 'linux')
    expect(joinWords(['/a b/node', 'x.js', 'prime'], linux)).toBe('"/a b/node" x.js prime')
    expect(joinWords(['C:\\x y\\node.exe', 'z'], machineOf({}, 'win32'))).toBe(
      '"C:/x y/node.exe" z',
    )
    expect(() => joinWords(['/a$b'], linux)).toThrow('a shell would misread')
    expect(() => splitWords('a "b')).toThrow('a quote is not closed')
  })
})

describe('which hosts are configured', () => {
  it('those that are found, after asking', async () => {
    await using home = await createHome()
    mkdirSync(join(home.root, '.cursor'))
    mkdirSync(join(home.home, '.codex'))
    await expect(home.install([])).rejects.toThrow(
      'found Codex, Cursor: name those to configure, or add --yes',
    )
    await expect(home.install([], {}, { confirm: async () => false })).rejects.toThrow(
      'nothing was changed',
    )
    const questions: string[] = []
    const confirm = async (question: string) => questions.push(question) > 0
    const { out, err } = await home.install([], {}, { confirm })
    expect(questions).toEqual(['Configure Codex (.codex/config.toml), Cursor (.cursor/mcp.json)?'])
    expect(out.match(/^added\t/gm)).toHaveLength(2)
    expect(err).toContain('Next:\n  Codex: ')
    expect((await home.install([], { yes: true })).out.match(/^unchanged\t/gm)).toHaveLength(2)
  })

  it('by a command on PATH too', async () => {
    await using home = await createHome()
    home.write(join(home.home, 'bin', 'zed'), '')
    chmodSync(join(home.home, 'bin', 'zed'), 0o755)
    const env = { ...home.env, PATH: join(home.home, 'bin') }
    const { out } = await home.install([], { list: true }, { env })
    expect(out).toMatch(/^zed\tZed\t`zed`\tabsent\tabsent$/m)
  })

  it('all of them, and none is left behind', async () => {
    await using home = await createHome()
    const before = home.files()
    const installed = await home.install([], { all: true, hooks: true, instructions: true })
    expect([installed.exit, installed.err]).toEqual([0, expect.not.stringContaining('error:')])
    expect(
      (await home.install([], { list: true })).out.match(/\tcurrent\t/g)?.length,
    ).toBeGreaterThan(15)
    const global = await home.install([], {
      all: true,
      global: true,
      hooks: true,
      instructions: true,
    })
    expect([global.exit, global.err]).toEqual([0, expect.not.stringContaining('error:')])
    await home.install([], { uninstall: true })
    await home.install([], { uninstall: true, global: true })
    expect(home.files()).toEqual(before)
  })

  it('none outside of a project, unless --global is given', async () => {
    await using home = await createHome()
    const cwd = join(home.home, 'elsewhere')
    mkdirSync(cwd)
    await expect(home.install(['cursor'], {}, { cwd })).rejects.toMatchObject({
      code: 'not_initialised',
    })
    expect((await home.install(['cursor'], { global: true }, { cwd })).exit).toBe(0)
    expect(await home.install(['claude-desktop'], { global: true }, { cwd })).toMatchObject({
      exit: 5,
      err: expect.stringContaining('Claude Desktop serves one project'),
    })
  })

  it.each([
    [['nano'], {}, 'no host is called "nano"; known are claude-code, '],
    [['cursor'], { http: 'ftp://x' }, '--http: must be an address'],
    [['cursor'], { command: ' ' }, '--command: must not be empty'],
  ])('%j with %j is a mistake: %s', async (names, options, message) => {
    await using home = await createHome()
    await expect(home.install(names, options)).rejects.toThrow(message)
  })

  it.each([
    ['claude', '.mcp.json'],
    ['Gemini-CLI', '.gemini/settings.json'],
    ['vs-code', '.vscode/mcp.json'],
  ])('%s is known by the name that people use for it', async (name, file) => {
    await using home = await createHome()
    const { out } = await home.install([name], { dryRun: true })
    expect(out).toContain(file)
  })

  it('a host without a file of that scope says what to add', async () => {
    await using home = await createHome()
    expect((await home.install(['claude-desktop'])).err).toContain('add --global')
    expect((await home.install(['jetbrains'])).err).toContain('waymark install jetbrains --print')
  })
})

describe('hosts that share a file', () => {
  it('share the entry too, until the last one goes', async () => {
    await using home = await createHome()
    const before = home.files()
    await home.install(['vscode', 'visual-studio'], { hooks: true })
    await home.install(['copilot'], { hooks: true })
    expect((await home.install(['vscode'], { uninstall: true })).exit).toBe(0)
    expect(existsSync(join(home.root, '.vscode', 'mcp.json'))).toBe(true)
    expect(existsSync(join(home.root, '.github', 'hooks', 'waymark.json'))).toBe(true)
    await home.install(['visual-studio', 'copilot'], { uninstall: true })
    expect(home.files()).toEqual(before)
  })
})

describe('hooks and instructions', () => {
  it('are added on request, and can be taken back alone', async () => {
    await using home = await createHome()
    home.write(join(home.root, 'CLAUDE.md'), '# Mine\n')
    await home.install(['claude-code'])
    const before = home.files()
    const { out } = await home.install(['claude-code', 'zed'], { hooks: true, instructions: true })
    expect(out).toContain('added\tClaude Code, hooks\t.claude/settings.json')
    expect(out).toContain('unavailable\tZed, hooks\t')
    const settings: unknown = JSON.parse(
      home.read(join(home.root, '.claude', 'settings.json')).toString('utf8'),
    )
    const run = (event: string, matcher?: string) => {
      const command = `${process.execPath} ${home.running.script} hook ${event} --host claude-code`
      return [{ ...(matcher && { matcher }), hooks: [{ type: 'command', command }] }]
    }
    const editors = 'Edit|Write|MultiEdit|NotebookEdit'
    expect(settings).toEqual({
      hooks: {
        SessionStart: run('session-start'),
        PreToolUse: run('before-edit', editors),
        PostToolUse: run('after-edit', editors),
        UserPromptSubmit: run('prompt'),
        Stop: run('stop'),
        SessionEnd: run('session-end'),
      },
      permissions: {
        allow: ['brief', 'code_why', 'events', 'recall', 'task_get'].map(
          (tool) => `mcp__waymark__${tool}`,
        ),
      },
    })
    expect(home.read(join(home.root, 'CLAUDE.md')).toString('utf8')).toContain('`code_why`')
    await home.install(['claude-code', 'zed'], { uninstall: true, hooks: true, instructions: true })
    await home.install(['zed'], { uninstall: true })
    expect(home.files()).toEqual(before)
  })

  it('go into AGENTS.md when CLAUDE.md refers to it', async () => {
    await using home = await createHome()
    home.write(join(home.root, 'CLAUDE.md'), 'See\n\n@AGENTS.md\n')
    await home.install(['claude-code'], { instructions: true })
    expect(home.read(join(home.root, 'CLAUDE.md')).toString('utf8')).toBe('See\n\n@AGENTS.md\n')
    expect(home.read(join(home.root, 'AGENTS.md')).toString('utf8')).toContain('waymark:begin')
  })

  it('share a file with the server where the host has one file for all', async () => {
    await using home = await createHome()
    home.write(join(home.root, '.gemini', 'settings.json'), '{\n  // mine\n  "theme": "x"\n}\n')
    const before = home.files()
    await home.install(['gemini'], { hooks: true })
    const text = home.read(join(home.root, '.gemini', 'settings.json')).toString('utf8')
    expect(text).toContain('"mcpServers"')
    expect(text).toContain('"SessionStart"')
    await home.install(['gemini'], { uninstall: true, hooks: true })
    expect(home.read(join(home.root, '.gemini', 'settings.json')).toString('utf8')).not.toContain(
      'SessionStart',
    )
    await home.install(['gemini'], { uninstall: true })
    expect(home.files()).toEqual(before)
  })
})

describe('what is printed', () => {
  it('JSON says everything, with the differences of a dry run', async () => {
    await using home = await createHome()
    const dry = JSON.parse(
      (await home.install(['cursor', 'junie'], { json: true, dryRun: true })).out,
    ) as {
      changes: { diff: string }[]
    }
    expect(dry).toMatchObject({
      scope: 'project',
      dry_run: true,
      results: [
        { host: 'cursor', part: 'server', file: '.cursor/mcp.json', state: 'added' },
        { host: 'junie', state: 'added' },
      ],
    })
    expect(dry.changes[0]?.diff).toMatch(
      /^--- \/dev\/null\n\+\+\+ \.cursor\/mcp\.json\n@@ -0,0 \+1/,
    )
    home.write(join(home.root, '.cursor', 'mcp.json'), '[]')
    expect(JSON.parse((await home.install(['cursor'], { json: true })).out)).toMatchObject({
      results: [{ state: 'refused', error: { code: 'invalid_input' } }],
    })
  })

  it('a snippet and a link, where a person prefers to do it', async () => {
    await using home = await createHome()
    const before = home.files()
    const { out, err } = await home.install(['cursor'], { print: true })
    expect(json(out).mcpServers.waymark.args).toContain('serve')
    const link = /config=(\S+)/.exec(err)?.[1] ?? ''
    expect(JSON.parse(Buffer.from(decodeURIComponent(link), 'base64').toString())).toEqual(
      json(out).mcpServers.waymark,
    )
    expect((await home.install(['jetbrains', 'codex', 'goose'], { print: true })).out).toMatch(
      /"mcpServers"[^]*\[mcp_servers\.waymark\][^]*extensions:\n {2}waymark:/,
    )
    expect(home.files()).toEqual(before)
  })

  it('no program that a host would have to fetch by a name that is not ours', async () => {
    await using home = await createHome()
    const { HOSTS } = await import('../../src/install/hosts/hosts.ts')
    const { out, err } = await home.install(
      HOSTS.map(({ name }) => name),
      { print: true },
    )
    expect(out).toContain('"command": "waymark"')
    expect(out + err).not.toContain('npx')
    expect((await home.install(['cursor'])).err).not.toContain('npx')
  })

  it('a note, when a file to be shared names this machine’s programs', async () => {
    await using home = await createHome()
    expect((await home.install(['cursor'])).err).toContain(
      'These files name programs of this machine',
    )
    expect((await home.install(['zed'], { command: 'waymark' })).err).not.toContain(
      'These files name',
    )
  })

  it('a table for a person', async () => {
    await using home = await createHome()
    const { out } = await home.install([], { list: true }, { interactive: true, columns: 100 })
    expect(out).toMatch(/^HOST\s+TITLE\s+FOUND\s+PROJECT\s+GLOBAL\nclaude-code\s+Claude Code/)
  })
})

it('the command line knows the options and the exit code', async () => {
  await using home = await createHome()
  const terminal = createTestTerminal(home.root, { env: home.env })
  expect(await runCli(['install', 'cursor', '--dry-run', '--command', 'waymark'], terminal)).toBe(0)
  expect(terminal.output.out).toContain('would be added\tCursor\t.cursor/mcp.json')
  const outside = createTestTerminal(tmpdir(), { env: home.env })
  expect(await runCli(['install', 'cursor', '--command', 'waymark'], outside)).toBe(5)
})
