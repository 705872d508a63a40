import { describe, expect, it } from 'vitest'
import { createProject, createRepository } from '../setup.ts'
import { startServer, waymark } from './binary.ts'
import { post, startHttp } from './http-server.ts'

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'e2e', version: '1' },
  },
}

describe('a server ends well', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s: what is under way is finished, then it exits with 0 [shutdown-way-finished]',
    async (signal) => {
      await using repository = await createProject()
      const env = { WAYMARK_LOG_LEVEL: 'debug' }
      await using server = await startServer(repository.directory, [], env)
      const answers = server.createAtOnce(20)
      await answers[0]
      server.child.kill(signal)
      const settled = await Promise.race([Promise.all(answers), server.closed])
      expect(settled).toHaveLength(20)
      expect(await server.closed).toEqual({ code: 0, signal: null })
      expect(server.log.text).toContain('Shutting down...')
      const { out } = await waymark(repository.directory, ['list', '--limit', '100', '--json'])
      expect(JSON.parse(out)).toMatchObject({ total: 20 })
    },
  )

  it('SIGTERM ends an open event stream as streams end, with whole events [shutdown-sigterm-ends]', async () => {
    await using repository = await createProject()
    await using server = await startHttp(repository.directory)
    const headers = { accept: 'application/json, text/event-stream' }
    const opened = await server.ask('/mcp', post(INITIALIZE, headers))
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' }
    await opened.text()
    const stream = await server.ask('/mcp', {
      headers: { accept: 'text/event-stream', ...session },
    })
    expect(stream.headers.get('content-type')).toContain('text/event-stream')
    const made = await server.ask('/api/entity.create', post({ type: 'note', title: 'before' }))
    expect(made.status).toBe(200)
    server.child.kill('SIGTERM')
    // A connection that is torn down instead of ended makes this fail.
    expect(await stream.text()).toMatch(/^$|\n\n$/)
    expect(await server.closed).toEqual({ code: 0, signal: null })
    const { out } = await waymark(repository.directory, ['list', '--json'])
    expect(JSON.parse(out)).toMatchObject({ total: 1 })
  })

  it('a client that hangs up ends it', async () => {
    await using repository = await createProject()
    await using server = await startServer(repository.directory)
    const answer = server.create('last words')
    server.child.stdin.end()
    expect(await answer).toMatchObject({ result: { structuredContent: { title: 'last words' } } })
    expect(await server.closed).toEqual({ code: 0, signal: null })
  })

  it('a repository without Waymark ends a medulla server at once, with the way in and nothing on standard output', async () => {
    await using repository = createRepository()
    expect(await waymark(repository.directory, ['serve', '--dialect', 'medulla'])).toMatchObject({
      exit: 5,
      out: '',
      err: expect.stringContaining('waymark init'),
    })
  })

  it('elsewhere a server starts without a project, as hosts start it anywhere, and every call names the way in', async () => {
    await using repository = createRepository()
    await using server = await startServer(repository.directory)
    const { result } = await server.create('nowhere to keep it')
    expect(result).toMatchObject({ isError: true })
    expect(JSON.stringify(result)).toContain('waymark init')
  })

  it('an unknown dialect is refused with the names there are', async () => {
    await using repository = await createProject()
    expect(await waymark(repository.directory, ['serve', '--dialect', 'klingon'])).toMatchObject({
      exit: 2,
      out: '',
      err: expect.stringMatching(/dialect: must be one or more of .*waymark, medulla/),
    })
  })
})

describe('logs', () => {
  it('go to standard error with the request id on every line of a request; standard output is protocol only', async () => {
    await using repository = await createProject()
    await using server = await startServer(repository.directory, [], { WAYMARK_LOG_LEVEL: 'debug' })
    await server.create('one')
    await server.request('tools/call', { name: 'entity_get', arguments: { id: '99' } })
    await server.request('no/such/method')
    server.child.stdin.end()
    await server.closed
    for (const line of server.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
    const lines = server.log.text.trimEnd().split('\n')
    for (const line of lines)
      expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z (DEBUG|INFO|WARN|ERROR) waymark::mcp /)
    expect(lines).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/request\{id=2 method="tools\/call" tool="entity_create"\} started$/),
        expect.stringMatching(/request\{id=2\} completed duration_ms=\d+$/),
        expect.stringMatching(/WARN waymark::mcp request\{id=3\} refused code="not_found"/),
      ]),
    )
  })

  it('are one line of a session by default: hosts file standard error under errors', async () => {
    await using repository = await createProject()
    for (const end of ['close', 'SIGTERM'] as const) {
      await using server = await startServer(repository.directory)
      await server.create('one')
      if (end === 'close') server.child.stdin.end()
      else server.child.kill(end)
      expect(await server.closed).toEqual({ code: 0, signal: null })
      const line = /^\S+ INFO waymark::mcp client connected client="e2e" [^\n]*\n$/
      expect(server.log.text, end).toMatch(line)
    }
  })

  it('are as loud as WAYMARK_LOG_LEVEL says', async () => {
    await using repository = await createProject()
    await using server = await startServer(repository.directory, [], { WAYMARK_LOG_LEVEL: 'error' })
    await server.create('one')
    server.child.stdin.end()
    await server.closed
    expect(server.log.text).toBe('')
  })
})
