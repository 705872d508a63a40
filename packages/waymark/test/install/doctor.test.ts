import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Check } from '../../src/health/check.ts'
import { checkNode } from '../../src/health/local-checks.ts'
import { initialiseProject } from '../../src/core/project/project.ts'
import { databasePath } from '../../src/core/store/state-folder.ts'
import { doctorCommand, type DoctorOptions } from '../../src/surfaces/install/doctor-command.ts'
import { createTestTerminal, type TestTerminal } from '../surface/test-terminal.ts'
import { SERVERS, writeServer } from './fake-server.ts'
import { createHome, type Home } from './home.ts'

interface Examined {
  readonly exit: number
  readonly checks: readonly Check[]
  readonly of: (name: string) => Check | undefined
}

/** A home whose project has a database, as `waymark init` makes it. */
async function createSoundHome(): Promise<Home> {
  const home = await createHome()
  rmSync(join(home.root, '.git', 'waymark'), { recursive: true })
  await initialiseProject(home.root)
  writeServer(home.running.script, 'good')
  return home
}

async function examine(
  home: Home,
  options: DoctorOptions = {},
  world: Partial<TestTerminal> = {},
): Promise<Examined> {
  const terminal = createTestTerminal(home.root, { env: home.env, ...world })
  const exit = await doctorCommand({ ...options, json: true }, terminal, home.running)
  const { checks } = JSON.parse(terminal.output.out) as { checks: Check[] }
  return { exit, checks, of: (name) => checks.find((check) => check.name === name) }
}

describe('this machine and this project', () => {
  it('are looked at first; what is missing is a warning, not a failure', async () => {
    await using home = await createSoundHome()
    const { exit, checks, of } = await examine(home)
    expect(exit).toBe(0)
    expect(of('node')).toEqual({ name: 'node', status: 'ok', message: process.versions.node })
    expect(of('sqlite')).toMatchObject({
      status: 'ok',
      message: expect.stringMatching(/^3\.\d+\.\d+$/),
    })
    expect(of('git')).toMatchObject({ status: 'ok', message: expect.stringMatching(/^\d+\.\d+/) })
    expect(of('project')).toEqual({
      name: 'project',
      status: 'ok',
      message: `${home.root}, database sound`,
    })
    expect(checks.at(-1)).toEqual({
      name: 'hosts',
      status: 'warning',
      message: 'no host is configured to use waymark',
      fix: 'waymark install',
    })
    const cwd = join(home.home, 'elsewhere')
    mkdirSync(cwd)
    expect((await examine(home, {}, { cwd })).of('project')).toMatchObject({
      status: 'warning',
      fix: 'waymark init',
    })
  })

  it('a setting that nobody knows is a warning, one that makes no sense a failure of its own', async () => {
    await using home = await createSoundHome()
    const file = join(home.root, '.waymark', 'config.json')
    home.write(file, '{"maxBatchsize": 5, "description": "A shop"}')
    const odd = await examine(home)
    expect(odd.exit).toBe(0)
    expect(odd.of('settings')).toMatchObject({
      status: 'warning',
      message: expect.stringMatching(/does not know it: "maxBatchsize"$/),
      fix: expect.stringContaining('maxBatchSize'),
    })
    for (const [text, message] of [
      ['{"maxBatchSize": "many"}', 'maxBatchSize: must be a whole number above 0'],
      ['{', expect.stringContaining('.waymark/config.json is not valid JSON')],
    ] as const) {
      home.write(file, text)
      const { exit, checks, of } = await examine(home)
      expect(exit).toBe(1)
      expect(of('settings')).toMatchObject({ status: 'failed', message })
      expect(checks.filter(({ status }) => status === 'failed')).toHaveLength(1)
    }
  })

  it('what a project may not set is a warning that says where to set it instead', async () => {
    await using home = await createSoundHome()
    const file = join(home.root, '.waymark', 'config.json')
    home.write(file, '{"actor": "Lead Maintainer", "requestTimeoutMs": 1}')
    const { exit, checks } = await examine(home)
    expect(exit).toBe(0)
    const settings = checks.filter(({ name }) => name === 'settings')
    expect(settings.map(({ status }) => status)).toEqual(['warning', 'warning'])
    expect(settings[0]?.message).toMatch(/^actor is ignored .* set WAYMARK_ACTOR instead$/)
    expect(settings[1]?.message).toMatch(/^requestTimeoutMs is 1 .* taken as 5000/)
  })

  it('a damaged database is a failure', async () => {
    await using home = await createSoundHome()
    const path = databasePath(join(home.root, '.git', 'waymark'))
    const bytes = readFileSync(path)
    writeFileSync(path, bytes.fill(0xab, 4096 * 3, 4096 * 5))
    const { exit, of } = await examine(home)
    expect(exit).toBe(1)
    expect(of('project')).toMatchObject({
      status: 'failed',
      message: expect.stringContaining('database'),
    })
  })

  it.each([
    ['18.20.0', 'failed'],
    ['20.18.1', 'failed'],
    ['20.19.0', 'ok'],
    ['24.0.0', 'ok'],
  ])('Node %s: %s', (version, status) => {
    expect(checkNode(version).status).toBe(status)
  })
})

describe('a configured command', () => {
  it('is started and spoken to, in the folder and the environment that the host would give it', async () => {
    await using home = await createSoundHome()
    const record = join(home.home, 'record.json')
    const env = { ...home.env, RECORD: record, SECRET: 'x' }
    await home.install(['claude-code', 'cursor', 'codex'])
    await home.install(['claude-desktop'], { global: true })
    const { exit, of } = await examine(home, {}, { env })
    expect(exit).toBe(0)
    expect(of('Claude Code (project)')).toMatchObject({
      status: 'ok',
      message: expect.stringMatching(/^\.mcp\.json: fake 1\.2, 3 tools, \d+ ms$/),
    })
    expect(of('Cursor (project)')?.status).toBe('ok')
    expect(of('Codex (project)')?.status).toBe('ok')
    expect(of('Claude Desktop (global)')?.status).toBe('ok')
  })

  it('gets what the entry says: variables replaced, folders named', async () => {
    await using home = await createSoundHome()
    const record = join(home.home, 'record.json')
    await home.install(['cursor'])
    const entry = JSON.parse(
      home.read(join(home.root, '.cursor', 'mcp.json')).toString('utf8'),
    ) as {
      mcpServers: { waymark: { args: string[]; env?: object } }
    }
    entry.mcpServers.waymark.env = { RECORD: record, A: '${env:WAYMARK_X}', B: '${env:SECRET}' }
    home.write(join(home.root, '.cursor', 'mcp.json'), JSON.stringify(entry))
    const env = { ...home.env, WAYMARK_X: 'x', SECRET: 's3cret' }
    await examine(home, { startAll: true }, { env })
    const seen = JSON.parse(readFileSync(record, 'utf8')) as {
      cwd: string
      argv: string[]
      env: object
    }
    expect(seen).toMatchObject({
      cwd: home.root,
      argv: ['-C', home.root, 'serve'],
      env: { A: 'x', B: '${env:SECRET}' },
    })
  })

  it.each([
    [
      'crashing',
      /^\.mcp\.json: ended \(5\) before it answered `initialize`: error: not a Waymark project$/,
    ],
    [
      'chatty',
      /^\.mcp\.json: writes to standard output something other than MCP: Hello, I am a server$/,
    ],
    ['silent', /^\.mcp\.json: did not answer `initialize` within 0\.7 s$/],
    ['stubborn', /^\.mcp\.json: did not answer `initialize` within 0\.7 s$/],
    ['refusing', /^\.mcp\.json: answered `initialize` with an error: too old$/],
  ] as const)('that is %s is a failure that says so', async (kind, message) => {
    await using home = await createSoundHome()
    await home.install(['claude-code'])
    writeServer(home.running.script, kind)
    const { exit, of } = await examine(home, { timeout: '700' })
    expect(exit).toBe(1)
    expect(of('Claude Code (project)')).toEqual({
      name: 'Claude Code (project)',
      status: 'failed',
      message: expect.stringMatching(message),
      fix: 'waymark install claude-code',
    })
  })

  it('that does not exist any more is a failure', async () => {
    await using home = await createSoundHome()
    await home.install(['cursor'], { global: true, command: '/gone/waymark' })
    expect((await examine(home)).of('Cursor (global)')).toMatchObject({
      status: 'failed',
      message:
        '~/.cursor/mcp.json: cannot be started: there is no such program, or its folder is gone',
      fix: 'waymark install cursor --global',
    })
  })
})

describe('an entry that came with the repository', () => {
  const canary = (home: Home) => join(home.home, 'canary')
  const evil = (home: Home) => ({
    command: process.execPath,
    args: ['-e', `require('node:fs').writeFileSync(${JSON.stringify(canary(home))}, '')`],
  })
  const expectNotStarted = async (home: Home, entry: object, why: string) => {
    home.write(
      join(home.root, 'evil.js'),
      `require('node:fs').writeFileSync(${JSON.stringify(canary(home))}, '')`,
    )
    home.write(join(home.root, '.mcp.json'), JSON.stringify({ mcpServers: { waymark: entry } }))
    const { exit, of } = await examine(home, { timeout: '2000' })
    expect(exit).toBe(0)
    expect(of('Claude Code (project)')).toMatchObject({
      status: 'warning',
      message: expect.stringContaining(`not started, because ${why}: `),
    })
    expect(() => readFileSync(canary(home))).toThrow()
  }

  it.each([
    ['another program', 'it starts another program', evil],
    [
      'this program with a variable',
      'it sets variables',
      (home: Home) => ({
        command: process.execPath,
        args: [home.running.script, 'serve'],
        env: { NODE_OPTIONS: `--require ${home.root}/evil.js` },
      }),
    ],
    [
      'this program with another option',
      'it has options that doctor does not start',
      (home: Home) => ({
        command: process.execPath,
        args: [home.running.script, 'serve', '--log-file', '/etc/x'],
      }),
    ],
    [
      'Node with an option before the script',
      'it starts another program',
      (home: Home) => ({
        command: process.execPath,
        args: ['--require', `${home.root}/evil.js`, home.running.script, 'serve'],
      }),
    ],
    [
      'another folder',
      'it names a folder to start in',
      (home: Home) => ({
        command: process.execPath,
        args: [home.running.script, 'serve'],
        cwd: '/',
      }),
    ],
  ])('is not started: %s', async (_, why, make) => {
    await using home = await createSoundHome()
    await expectNotStarted(home, make(home), why)
  })

  it.each([
    'serve --project --project --log-file=$canary',
    'serve --project --project --log-file $canary',
    '-C -C --project serve --log-file=$canary',
    'serve --tools=brief --log-file=$canary',
    'serve --project=x --project --log-file=$canary',
    'serve --project -- --log-file=$canary',
    'serve -- --log-file=$canary',
    'serve -Cx --log-file=$canary',
    'serve --log-file=$canary --project',
    'serve --project',
  ])('is not started with an option that writes, however it is hidden: %s', async (words) => {
    await using home = await createSoundHome()
    const args = words.split(' ').map((word) => word.replace('$canary', canary(home)))
    const entry = { command: process.execPath, args: [home.running.script, ...args] }
    await expectNotStarted(home, entry, 'it has options that doctor does not start')
  })

  it('is started with whatever options install may write that do no harm', async () => {
    await using home = await createSoundHome()
    await home.install(['claude-code'], {
      serveOptions: '--tools brief --toolsets=core --read-only --timeout-seconds 5 --json-logs',
    })
    expect((await examine(home)).of('Claude Code (project)')?.status).toBe('ok')
  })

  it('is not believed because a ledger in the repository vouches for it', async () => {
    await using home = await createSoundHome()
    await home.install(['claude-code'], { command: `${process.execPath} -e 0` })
    expect((await examine(home)).of('Claude Code (project)')?.status).toBe('warning')
  })

  it('is started when the user says so', async () => {
    await using home = await createSoundHome()
    home.write(
      join(home.root, '.mcp.json'),
      JSON.stringify({ mcpServers: { waymark: evil(home) } }),
    )
    expect((await examine(home, { startAll: true })).exit).toBe(1)
    expect(readFileSync(canary(home), 'utf8')).toBe('')
  })

  it('that starts nothing, or cannot be read, is told', async () => {
    await using home = await createSoundHome()
    home.write(join(home.root, '.mcp.json'), '{"mcpServers":{"waymark":5}}')
    home.write(join(home.root, '.cursor', 'mcp.json'), '{ broken')
    const { of } = await examine(home)
    expect(of('Claude Code (project)')).toMatchObject({
      status: 'failed',
      message: '.mcp.json: the entry starts nothing',
    })
    expect(of('Cursor (project)')).toMatchObject({
      status: 'warning',
      fix: 'repair .cursor/mcp.json',
    })
  })
})

describe('a configured address', () => {
  it.each(['json', 'stream'] as const)(
    'is spoken to over HTTP with the credential: %s',
    async (form) => {
      await using home = await createSoundHome()
      await using server = await listen(form)
      await home.install(['claude-code', 'codex'], { http: server.url })
      const env = { ...home.env, WAYMARK_TOKEN: 'right' }
      const good = await examine(home, {}, { env })
      expect(good.of('Claude Code (project)')?.message).toMatch(/^\.mcp\.json: http 1, 1 tools/)
      expect(good.of('Codex (project)')?.status).toBe('ok')
      const bad = await examine(home, {}, { env: { ...home.env, WAYMARK_TOKEN: 'wrong' } })
      expect(bad.of('Claude Code (project)')).toMatchObject({
        status: 'failed',
        message: expect.stringContaining('refuses the credential (401): set WAYMARK_TOKEN'),
      })
      await home.install(['amp'], { http: server.url })
      const { of } = await examine(home, {}, { env })
      expect(of('Amp (project)')?.message).toContain('the entry has no Authorization header')
    },
  )

  it('in the user’s own settings that leads to another machine is not tried unless it was installed', async () => {
    await using home = await createSoundHome()
    const entry = { mcpServers: { waymark: { url: 'http://192.0.2.1/mcp' } } }
    home.write(join(home.home, '.cursor', 'mcp.json'), JSON.stringify(entry))
    expect((await examine(home)).of('Cursor (global)')).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('not tried, because it is not a loopback address: http'),
    })
  })

  it('that nobody listens on is a failure', async () => {
    await using home = await createSoundHome()
    await home.install(['claude-code'], { http: 'http://127.0.0.1:9/mcp' })
    expect((await examine(home)).of('Claude Code (project)')?.message).toContain(
      'cannot be reached at http://127.0.0.1:9/mcp',
    )
  })
})

it('a person gets a table and a list of what to do', async () => {
  await using home = await createSoundHome()
  await home.install(['claude-code'])
  writeFileSync(home.running.script, SERVERS.crashing)
  const terminal = createTestTerminal(home.root, { env: home.env, interactive: true })
  expect(await doctorCommand({}, terminal, home.running)).toBe(1)
  expect(terminal.output.out).toMatch(/^STATUS\s+CHECK\s+FOUND\nok\s+node\s+\d/)
  expect(terminal.output.out).toMatch(
    /\nTo do:\n {2}Claude Code \(project\): waymark install claude-code\n$/,
  )
  await expect(doctorCommand({ timeout: 'soon' }, terminal, home.running)).rejects.toThrow(
    '--timeout: must be',
  )
})

/** A small MCP server on a port of its own. */
async function listen(
  form: 'json' | 'stream',
): Promise<AsyncDisposable & { readonly url: string }> {
  const server: Server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const { id, method } = JSON.parse(body) as { id?: number; method: string }
      if (request.headers.authorization !== 'Bearer right') return response.writeHead(401).end()
      if (id === undefined) return response.writeHead(202).end()
      const result =
        method === 'initialize' ? { serverInfo: { name: 'http', version: '1' } } : { tools: [{}] }
      if (method !== 'initialize' && request.headers['mcp-session-id'] !== 's1')
        return response.writeHead(400).end()
      const text = JSON.stringify({ jsonrpc: '2.0', id, result })
      const type = form === 'json' ? 'application/json' : 'text/event-stream'
      response.writeHead(200, { 'content-type': type, 'mcp-session-id': 's1' })
      return response.end(form === 'json' ? text : `: hi\n\nid: 1\ndata:\n\ndata: ${text}\n\n`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
