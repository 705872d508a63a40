import { request } from 'node:http'
import { chmodSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { createProject } from '../setup.ts'
import { command } from '../surface/command.ts'
import { connectLegacy, connectModern, type HttpServer, post, startHttp } from './http-server.ts'

/** Asks with headers that `fetch` would not let anybody choose. */
function rawStatus(
  { ready }: HttpServer,
  path: string,
  headers: Record<string, string>,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: ready.port, path, headers }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })
}

describe('serving over HTTP', () => {
  it.each([
    ['1.x', connectLegacy],
    ['2.x', connectModern],
  ] as const)('the official client %s plans, claims and finishes work', async (_, connect) => {
    await using repository = await createProject()
    await using server = await startHttp(repository.directory)
    await using client = await connect(server.ready.url, { token: server.secret })
    expect(await client.tools()).toEqual(expect.arrayContaining(['brief', 'task_next']))
    await client.call('task_create', { tasks: [{ title: 'Write the store' }] })
    const { structuredContent: next } = await client.call('task_next', { claim: true })
    expect(JSON.stringify(next)).toContain('Write the store')
    await client.call('task_update', { ids: ['1'], action: 'complete' })
    const { out } = await command(repository.directory, ['list', 'task', '--json'])
    expect(JSON.parse(out)).toMatchObject({ entities: [{ properties: { status: 'done' } }] })
  })

  it('every dialect has an address, and so has every operation', async () => {
    await using repository = await createProject()
    await using server = await startHttp(repository.directory)
    const token = server.secret
    for (const [dialect, tool] of [
      ['waymark', 'brief'],
      ['tasky', 'create_tasks'],
      ['medulla', 'entity_create'],
      ['lodestar', 'lodestar.task.claim'],
      ['ultragit', 'ultragit_read'],
    ] as const) {
      await using client = await connectLegacy(`${server.ready.url}/${dialect}`, { token })
      expect((await client.tools()).join(), dialect).toContain(tool)
    }
    expect((await server.ask('/mcp/klingon', post({}))).status).toBe(404)
    const made = await server.ask('/api/entity.create', post({ type: 'note', title: 'by route' }))
    expect(made.status).toBe(200)
    expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    const listed = await server.ask('/api/entity.list?type=note&limit=5')
    expect(await listed.json()).toMatchObject({ entities: [{ title: 'by route' }] })
  })

  it('agents with the same secret are different agents, and none of them is one of another way in', async () => {
    await using repository = await createProject()
    await command(repository.directory, ['task', 'create', 'only one'])
    await using server = await startHttp(repository.directory)
    await using ann = await connectLegacy(server.ready.url, { token: server.secret })
    await using bob = await connectLegacy(server.ready.url, { token: server.secret })
    const claims = [
      await ann.call('task_next', { claim: true }),
      await bob.call('task_next', { claim: true }),
    ]
    const texts = claims.map((claim) => JSON.stringify(claim))
    expect(texts.map((text) => text.includes('only one'))).toEqual([true, false])
  })

  it('the secret is in a file for its owner alone, is the same next time, and is never told [http-secret-file]', async () => {
    await using repository = await createProject()
    await using server = await startHttp(repository.directory)
    const file = join(repository.directory, '.git', 'waymark', 'http-secret')
    expect(server.ready.secret_file).toBe(file)
    expect(server.secret).toMatch(/^[\w-]{43}$/)
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600)
    await server.ask('/api/project.stats')
    await server.ask('/api/entity.list', { headers: { authorization: 'Bearer wrong' } })
    await server.kill('SIGTERM')
    expect(server.log.text).not.toContain(server.secret)
    expect(server.log.text).toContain('http-secret')
    await using again = await startHttp(repository.directory)
    expect(again.secret).toBe(server.secret)
  })

  it.runIf(process.platform !== 'win32')('a secret that others can read is refused', async () => {
    await using repository = await createProject()
    {
      await using _ = await startHttp(repository.directory)
    }
    const file = join(repository.directory, '.git', 'waymark', 'http-secret')
    chmodSync(file, 0o644)
    expect(await command(repository.directory, ['serve', '--http', '0'])).toMatchObject({
      exit: 2,
      err: expect.stringContaining('chmod 600'),
    })
    expect(readFileSync(file, 'utf8')).not.toBe('')
  })
})

describe('who may come in', () => {
  it('nothing but the sign of life is for strangers, and strangers learn nothing of what there is', async () => {
    await using repository = await createProject()
    await using server = await startHttp(repository.directory)
    const health = await fetch(`${server.origin}/health`)
    expect([health.status, await health.text()]).toEqual([200, '{"ok":true}'])
    const paths = [
      '/mcp',
      '/mcp/tasky',
      '/mcp/none',
      '/mcp/sse',
      '/mcp/message',
      '/api/entity.list',
    ]
    paths.push(
      '/metrics',
      '/openapi.json',
      '/projects/none/mcp',
      '/projects/none/api/entity.list',
      '/api/none.none',
    )
    for (const path of paths) {
      for (const authorization of [undefined, `Bearer ${server.secret}x`, 'Basic eDp5']) {
        const headers = authorization === undefined ? {} : { authorization }
        const response = await fetch(`${server.origin}${path}`, { headers })
        expect(response.status, `${path} ${authorization}`).toBe(401)
        expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/)
        await response.text()
      }
    }
    const inUrl = await fetch(`${server.origin}/api/entity.list?access_token=${server.secret}`)
    expect(inUrl.status).toBe(400)
  })

  it('a refusal reads like every other error of a route, and like one of MCP at its address', async () => {
    await using repository = await createProject()
    await using server = await startHttp(repository.directory)
    const errorAt = async (path: string, init: RequestInit = {}) =>
      ((await (await fetch(`${server.origin}${path}`, init)).json()) as { error: unknown }).error
    for (const path of ['/api/entity.list', '/metrics', '/openapi.json', '/cas'])
      expect(await errorAt(path)).toMatchObject({ code: 'unauthenticated', retryable: false })
    expect(await errorAt('/elsewhere')).toMatchObject({ code: 'not_found' })
    const foreign = { headers: { origin: 'https://evil.test' } }
    expect(await errorAt('/api/entity.list', foreign)).toMatchObject({ code: 'forbidden' })
    expect(await errorAt('/mcp', post({}))).toMatchObject({ code: -32600 })
  })

  it('foreign hosts and origins are refused everywhere, whatever they know [http-foreign-hosts]', async () => {
    await using repository = await createProject()
    await using server = await startHttp(repository.directory)
    const authorization = `Bearer ${server.secret}`
    const { port } = server.ready
    for (const path of ['/mcp', '/api/entity.list', '/health', '/projects/x/mcp']) {
      for (const foreign of [
        { host: 'evil.test' },
        { host: `evil.test:${port}` },
        { host: `0.0.0.0:${port}` },
        { host: `127.1:${port}` },
        { host: `localhost:${port + 1}` },
        { origin: 'http://evil.test' },
        { origin: 'null' },
        { origin: `https://localhost:${port}` },
      ])
        expect(await rawStatus(server, path, { authorization, ...foreign }), path).toBe(403)
    }
    const own = { authorization, host: `localhost:${port}`, origin: `http://localhost:${port}` }
    expect(await rawStatus(server, '/api/entity.list', own)).toBe(200)
  })

  it('other machines are let in only with a secret that was chosen, or OAuth', async () => {
    await using repository = await createProject()
    const args = ['serve', '--host', '0.0.0.0', '--port', '0']
    expect(await command(repository.directory, args)).toMatchObject({
      exit: 2,
      err: expect.stringContaining('WAYMARK_HTTP_SECRET'),
    })
    const secret = 'chosen-by-whoever-started-the-server'
    const env = { WAYMARK_HTTP_SECRET: secret, WAYMARK_ALLOWED_HOSTS: 'waymark.test' }
    for (const more of [{}, { WAYMARK_PUBLIC_URL: 'http://waymark.test' }])
      expect(await command(repository.directory, args, { ...env, ...more })).toMatchObject({
        exit: 2,
        err: expect.stringContaining('--plain-http'),
      })
    const plain = [...args.slice(1), '--plain-http']
    await using server = await startHttp(repository.directory, plain, env)
    await vi.waitFor(() => expect(server.log.text).toContain('WARN'), { timeout: 30_000 })
    expect(server.log.text).not.toContain(secret)
    const authorization = `Bearer ${secret}`
    const statuses = ['waymark.test', `waymark.test:${server.ready.port}`, 'other.test'].map(
      (host) => rawStatus(server, '/api/entity.list', { authorization, host }),
    )
    expect(await Promise.all(statuses)).toEqual([200, 200, 403])
  })

  it.each([
    [['--port', '70000'], {}, 'port: must be'],
    [['--http', 'x'], {}, '--http: must be'],
    [['--http', '0'], { OAUTH_AUDIENCE: 'x' }, 'OAUTH_ISSUER_URL: must be set'],
    [['--http', '0'], { OAUTH_ISSUER_URL: 'nowhere' }, 'OAUTH_ISSUER_URL: must be an http'],
    [['--http', '0', '--public-url', 'ftp://x'], {}, 'public-url: must be'],
    [['--http', '0', '--dialect', 'klingon'], {}, 'dialect: must be'],
    [['--http', '0', '--secret-file', 'none'], {}, 'is not there'],
    [['--http', '0'], { WAYMARK_HTTP_SECRET: 'short' }, 'WAYMARK_HTTP_SECRET: must be 32 or more'],
    [
      ['--http', '0'],
      { WAYMARK_HTTP_SECRET: 'a sentence that is long enough but has spaces' },
      'WAYMARK_HTTP_SECRET: must be 32 or more',
    ],
  ])('%j %j is refused with the reason', async (args, env, message) => {
    await using repository = await createProject()
    expect(await command(repository.directory, ['serve', ...args], env)).toMatchObject({
      exit: 2,
      out: '',
      err: expect.stringContaining(message),
    })
  })

  it('a port that is taken is named', async () => {
    await using repository = await createProject()
    await using server = await startHttp(repository.directory)
    const { exit, err } = await command(repository.directory, [
      'serve',
      '--http',
      String(server.ready.port),
    ])
    expect([exit, err]).toEqual([1, expect.stringContaining('choose another port')])
  })

  it('chosen tools are all there is, and a server for reading changes nothing', async () => {
    await using repository = await createProject()
    {
      await using server = await startHttp(repository.directory, [
        '--http',
        '0',
        '--tools',
        'brief',
      ])
      expect((await server.ask('/api/entity.list')).status).toBe(404)
      expect((await server.ask('/mcp/tasky', post({}))).status).toBe(404)
    }
    await using server = await startHttp(repository.directory, ['--http', '0', '--read-only'])
    const refused = await server.ask('/api/entity.create', post({ type: 'note', title: 'x' }))
    expect([refused.status, await refused.json()]).toMatchObject([
      403,
      { error: { code: 'forbidden' } },
    ])
  })
})

describe('projects', () => {
  it('several are served on one port, each at its own address and opened when it is asked for', async () => {
    await using one = await createProject()
    await using two = await createProject()
    const args = ['--http', '0', '--project', one.directory, '--project', two.directory]
    await using server = await startHttp('/', args)
    const [first, second] = [one, two].map(({ directory }) => basename(directory))
    expect(server.ready['projects']).toMatchObject([{ name: first }, { name: second }])
    const token = server.secret
    await using inTwo = await connectLegacy(`${server.origin}/projects/${second}/mcp/tasky`, {
      token,
    })
    await inTwo.call('create_tasks', { tasks: [{ name: 'in two' }] })
    await server.ask('/api/task.create', post({ title: 'in one' }))
    const titles = async (path: string) => {
      const { entities } = (await (await server.ask(path)).json()) as {
        entities: { title: string }[]
      }
      return entities.map(({ title }) => title)
    }
    expect(await titles('/api/entity.list')).toEqual(['in one'])
    expect(await titles(`/projects/${first}/api/entity.list`)).toEqual(['in one'])
    expect(await titles(`/projects/${second}/api/entity.list`)).toEqual(['in two'])
    // What is a session in one project is none in another.
    const elsewhere = await server.ask('/mcp/tasky', {
      method: 'DELETE',
      headers: { 'mcp-session-id': inTwo.sessionId ?? '' },
    })
    expect(elsewhere.status).toBe(404)
  })

  it('a folder without a project is no server', async () => {
    await using one = await createProject()
    const { exit, err } = await command('/', ['serve', '--http', '0'])
    expect([exit, err]).toEqual([5, expect.stringContaining('waymark init')])
    await using server = await startHttp('/', [
      '--http',
      '0',
      '-C',
      one.directory,
      '--project',
      '/',
    ])
    expect((await server.ask('/projects/project/api/entity.list')).status).toBe(503)
    expect((await server.ask('/api/entity.list')).status).toBe(200)
  })
})

describe('ends and beginnings', () => {
  it('after kill -9 a client goes on with its session, as the same agent [http-after-kill]', async () => {
    await using repository = await createProject()
    await command(repository.directory, ['task', 'create', 'survives'])
    const first = await startHttp(repository.directory)
    const client = await connectLegacy(first.ready.url, { token: first.secret })
    await client.call('task_next', { claim: true })
    const { sessionId = '' } = client
    await first.kill('SIGKILL')

    const args = ['--http', String(first.ready.port)]
    await using second = await startHttp(repository.directory, args)
    await using _ = client
    const { isError } = await client.call('task_update', { ids: ['1'], action: 'complete' })
    expect(isError).not.toBe(true)
    expect(client.sessionId).toBe(sessionId)
    const headers = { 'mcp-session-id': 'A'.repeat(43) }
    expect((await second.ask('/mcp', { method: 'DELETE', headers })).status).toBe(404)
  })

  it('after kill -9 a client that had only connected gets the broadcasts since then', async () => {
    await using repository = await createProject()
    const first = await startHttp(repository.directory)
    const client = await connectLegacy(first.ready.url, { token: first.secret })
    await first.kill('SIGKILL')
    await command(repository.directory, ['message', 'send', 'stop', '--actor', 'ada'])

    const args = ['--http', String(first.ready.port)]
    await using _second = await startHttp(repository.directory, args)
    await using _ = client
    expect(JSON.stringify(await client.call('inbox'))).toContain('stop')
  })

  it('an agent of a read-only server gets the broadcasts after its first read', async () => {
    await using repository = await createProject()
    await using server = await startHttp(repository.directory, ['--http', '0', '--read-only'])
    const inbox = async (name: string): Promise<unknown> => {
      const answer = await server.ask('/api/message.list', post({}, { 'waymark-agent': name }))
      return await answer.json()
    }
    expect(await inbox('bob')).toMatchObject({ messages: [] })
    await command(repository.directory, ['message', 'send', 'stop', '--actor', 'ada'])
    expect(await inbox('bob')).toMatchObject({ messages: [{ body: 'stop' }] })
    expect(await inbox('cam')).toMatchObject({ messages: [] })
  })

  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s: what is under way is finished, then it exits with 0',
    async (signal) => {
      await using repository = await createProject()
      await using server = await startHttp(repository.directory)
      await using _ = await connectLegacy(server.ready.url, { token: server.secret })
      const work = Array.from({ length: 10 }, (_, at) =>
        server.ask('/api/entity.create', post({ type: 'note', title: `under way ${at}` })),
      )
      await work[0]
      server.child.kill(signal)
      const statuses = (await Promise.allSettled(work)).map((one) =>
        one.status === 'fulfilled' ? one.value.status : 0,
      )
      expect(await server.closed).toEqual({ code: 0, signal: null })
      const { out } = await command(repository.directory, ['list', '--limit', '100', '--json'])
      // Whoever came too late was told so; whoever got an answer finds what it says.
      expect(JSON.parse(out)).toMatchObject({
        total: statuses.filter((status) => status === 200).length,
      })
    },
  )
})

describe('hosts', () => {
  it('can be told of the server, and doctor asks it as they would', async () => {
    await using repository = await createProject()
    await using server = await startHttp(repository.directory)
    const env = { HOME: repository.directory, USERPROFILE: repository.directory, WAYMARK_TOKEN: '' }
    const run = (args: readonly string[], more = {}) =>
      command(repository.directory, args, { ...env, ...more })
    const installed = await run(['install', 'claude-code', '--http', server.ready.url])
    expect([installed.exit, installed.err]).toEqual([0, expect.stringContaining('WAYMARK_TOKEN')])
    const file = readFileSync(join(repository.directory, '.mcp.json'), 'utf8')
    expect(file).toContain(server.ready.url)
    expect(file).not.toContain(server.secret)
    const good = await run(['doctor', '--json'], { WAYMARK_TOKEN: server.secret })
    expect(good.out).toMatch(/\.mcp\.json: waymark [\d.]+, \d+ tools/)
    expect((await run(['doctor', '--json'])).out).toContain('set WAYMARK_TOKEN')
    const other = await run(['install', 'claude-code', '--http', '--force', '--dry-run'])
    expect(other.out).toContain('http://127.0.0.1:7777/mcp')
  })

  it('the command line prints the same document that the server has', async () => {
    await using repository = await createProject()
    await using server = await startHttp(repository.directory)
    const { out } = await command(repository.directory, ['openapi', '--url', server.origin])
    expect(JSON.parse(out)).toEqual(await (await server.ask('/openapi.json')).json())
    expect((await fetch(`${server.origin}/openapi.json`)).status).toBe(401)
  })
})
