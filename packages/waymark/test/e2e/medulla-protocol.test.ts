import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createProject, createRepository } from '../setup.ts'
import { type ServerProcess, startServer, waymark } from './binary.ts'
import { startMedulla } from './medulla-client.ts'

interface Answer {
  readonly id?: unknown
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

async function serving(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const repository = await createProject()
  const server = await startServer(repository.directory, ['--dialect', 'medulla', ...args], env)
  return {
    ...server,
    directory: repository.directory,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      await repository[Symbol.asyncDispose]()
    },
  }
}

/** Sends a line as it is and waits for the next line that comes back. */
async function exchange(server: ServerProcess, line: string): Promise<Answer> {
  const before = server.lines.length
  server.child.stdin.write(`${line}\n`)
  await expect.poll(() => server.lines.length).toBeGreaterThan(before)
  return JSON.parse(server.lines[before] ?? 'null') as Answer
}

const hello = (protocolVersion: string) => ({
  protocolVersion,
  capabilities: {},
  clientInfo: { name: 'protocol', version: '1' },
})

type Serving = Awaited<ReturnType<typeof serving>>

/** One server for all tests of a group: none of them may leave it in a state that harms the next. */
function share(): () => Serving {
  let server: Serving | undefined
  beforeAll(async () => {
    server = await serving()
  })
  afterAll(async () => await server?.[Symbol.asyncDispose]())
  return () => {
    if (server === undefined) throw new Error('the server is not started')
    return server
  }
}

describe('JSON-RPC', () => {
  const shared = share()

  it.each([
    ['Invalid JSON → parse error', '{"jsonrpc":"2.0","id":7,', -32700, null],
    ['not even JSON → parse error', 'hello', -32700, null],
    ['Missing `jsonrpc` field → invalid request', '{"id":7,"method":"ping"}', -32600, 7],
    ['another version → invalid request', '{"jsonrpc":"1.0","id":7,"method":"ping"}', -32600, 7],
    ['no method → invalid request', '{"jsonrpc":"2.0","id":7}', -32600, undefined],
    ['Unknown method → method not found', '{"jsonrpc":"2.0","id":7,"method":"no/such"}', -32601, 7],
    [
      'Missing required params → invalid params',
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{}}',
      -32602,
      7,
    ],
    [
      'no address → invalid params',
      '{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{}}',
      -32602,
      7,
    ],
    [
      'Batch requests (JSON-RPC arrays) → invalid request, they exist in 2025-03-26 only',
      '[{"jsonrpc":"2.0","id":7,"method":"ping"},{"jsonrpc":"2.0","id":8,"method":"ping"}]',
      -32600,
      null,
    ],
    ['an empty batch → invalid request', '[]', -32600, null],
  ])('%s [medulla-protocol-2]', async (_, line, code, id) => {
    const server = shared()
    const answer = await exchange(server, line)
    expect(answer.error?.code).toBe(code)
    if (id !== undefined) expect(answer.id).toBe(id)
    expect(await server.request('ping')).toMatchObject({ result: {} })
  })

  it('Batch requests (JSON-RPC arrays) are answered where the client has agreed on 2025-03-26 [medulla-protocol-batch-requests]', async () => {
    await using server = await serving()
    await server.request('initialize', hello('2025-03-26'))
    const line = JSON.stringify(
      [71, 72].map((id) => ({ jsonrpc: '2.0', id, method: 'ping', params: {} })),
    )
    const answers = (await exchange(server, line)) as unknown as Answer[]
    expect(answers.map(({ id }) => id)).toEqual([71, 72])
  })

  it('a notification is never answered, whatever is in it', async () => {
    const server = shared()
    server.child.stdin.write('{"jsonrpc":"2.0","method":"no/such"}\n')
    const before = server.lines.length
    await server.request('ping')
    expect(server.lines.length).toBe(before + 1)
  })
})

describe('protocol versions', () => {
  const shared = share()

  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'a client of %s is served [medulla-protocol-client-served]',
    async (version) => {
      const server = shared()
      expect(await server.request('initialize', hello(version))).toMatchObject({
        result: { protocolVersion: version, serverInfo: { name: 'medulla' } },
      })
    },
  )

  it('a version that nobody knows is answered with the one that we would speak', async () => {
    const server = shared()
    expect(await server.request('initialize', hello('1999-01-01'))).toMatchObject({
      result: { protocolVersion: '2025-11-25' },
    })
  })

  it('--strict-protocol: on version mismatch an error with supported versions [medulla-protocol-strict-version]', async () => {
    await using server = await serving(['--strict-protocol'])
    const { error } = await server.request('initialize', hello('2024-11-05'))
    expect(error).toMatchObject({
      code: -32602,
      data: { supported: ['2025-11-25'], requested: '2024-11-05' },
    })
    expect(await server.request('initialize', hello('2025-11-25'))).toMatchObject({
      result: { protocolVersion: '2025-11-25' },
    })
  })

  it('the capabilities are those of the seed [medulla-protocol-capabilities-seed]', async () => {
    const server = shared()
    const { result } = await server.request('initialize', hello('2025-11-25'))
    expect(result?.['capabilities']).toEqual({
      tools: { listChanged: false },
      resources: { subscribe: true, listChanged: false },
      prompts: { listChanged: true },
      logging: {},
    })
  })
})

describe('integration', () => {
  it('Client connects, lists tools, calls tool, disconnects [medulla-protocol-client-connects]', async () => {
    await using medulla = await startMedulla()
    const { tools } = await medulla.client.listTools()
    expect(tools.map(({ name }) => name)).toContain('entity_create')
    expect(await medulla.call('entity_create', { type: 'note', title: 'N' })).toMatchObject({
      sequence_number: 1,
    })
    await medulla.client.close()
    await expect.poll(() => medulla.log()).toContain('stopped')
  })

  it('Create entity via MCP, verify via CLI [medulla-protocol-create-entity]', async () => {
    await using medulla = await startMedulla()
    await medulla.call('entity_create', { type: 'decision', title: 'Use SQLite' })
    expect(JSON.parse(await medulla.cli('get', '1', '--json'))).toMatchObject({
      title: 'Use SQLite',
      created_by: 'checklist',
    })
  })

  it('Subscribe to type, create entity, verify notification received [medulla-protocol-subscribe-type]', async () => {
    await using medulla = await startMedulla()
    await medulla.client.subscribeResource({ uri: 'medulla://entities/decision' })
    await medulla.call('entity_create', { type: 'decision', title: 'D' })
    await expect.poll(() => medulla.updated).toEqual(['medulla://entities/decision'])
  })

  it('Batch with 3 creates, 1 invalid — verify 3 succeed, 1 fails [medulla-protocol-batch-3]', async () => {
    await using medulla = await startMedulla()
    const create = (title: string) => ({ op: 'create', type: 'task', title })
    expect(
      await medulla.call('entity_batch', {
        operations: [create('A'), create(''), create('B'), create('C')],
      }),
    ).toMatchObject({ succeeded: 3, failed: 1, results: [{}, { success: false }, {}, {}] })
    expect(await medulla.call('entity_list')).toMatchObject({ total: 3 })
  })

  it('two servers on one project see each other’s changes and tell their clients [medulla-protocol-two-servers]', async () => {
    await using medulla = await startMedulla()
    await using other = await startServer(medulla.directory, ['--dialect', 'medulla'])
    await medulla.client.subscribeResource({ uri: 'medulla://entities/note' })
    await other.create('From the other server')
    await expect.poll(() => medulla.updated).toEqual(['medulla://entities/note'])
    expect(await medulla.call('search_fulltext', { query: 'other server' })).toMatchObject({
      total: 1,
    })
  })
})

describe('environment variables', () => {
  it('MEDULLA_LOG_LEVEL [medulla-protocol-log-level]', async () => {
    await using quiet = await serving([], { MEDULLA_LOG_LEVEL: 'error' })
    await quiet.create('N')
    quiet.child.stdin.end()
    await quiet.closed
    expect(quiet.log.text).toBe('')
    await using loud = await serving([], { MEDULLA_LOG_LEVEL: 'trace' })
    await loud.create('the body of it')
    await expect.poll(() => loud.log.text).toMatch(/TRACE .*the body of it/)
  })

  it('RUST_LOG, where no level of ours is set [medulla-protocol-rust-log]', async () => {
    await using quiet = await serving([], { RUST_LOG: 'error' })
    await quiet.create('N')
    quiet.child.stdin.end()
    await quiet.closed
    expect(quiet.log.text).toBe('')
    await using loud = await serving([], { RUST_LOG: 'warn,medulla=trace' })
    await loud.create('the body of it')
    await expect.poll(() => loud.log.text).toMatch(/TRACE .*the body of it/)
  })

  it('a batch of 100 with the longest contents is accepted [medulla-protocol-largest-batch]', async () => {
    await using medulla = await startMedulla()
    const content = 'x'.repeat(102_400)
    const step = { op: 'create', type: 'note', title: 'N', content }
    const operations = Array.from({ length: 100 }, () => step)
    expect(await medulla.call('entity_batch', { operations })).toMatchObject({ succeeded: 100 })
    expect(await medulla.call('entity_get', { id: '100' })).toMatchObject({ content })
  })

  it('MEDULLA_MAX_BATCH_SIZE [medulla-protocol-max-batch]', async () => {
    await using medulla = await startMedulla({ env: { MEDULLA_MAX_BATCH_SIZE: '2' } })
    const step = { op: 'create', type: 'note', title: 'N' }
    const refused = medulla.client.callTool({
      name: 'entity_batch',
      arguments: { operations: [step, step, step] },
    })
    await expect(refused).rejects.toMatchObject({ code: -32003, data: { field: 'operations' } })
    expect(await medulla.call('entity_batch', { operations: [step, step] })).toMatchObject({
      succeeded: 2,
    })
  })

  it('MEDULLA_REQUEST_TIMEOUT_MS [medulla-protocol-request-timeout]', async () => {
    // A model that never answers: without a limit the search would wait for it.
    const silent = createServer(() => {})
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    await using server = await serving([], {
      MEDULLA_REQUEST_TIMEOUT_MS: '300',
      WAYMARK_EMBEDDING_URL: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      WAYMARK_EMBEDDING_MODEL: 'silent',
    })
    await server.create('N')
    const { error } = await server.request('tools/call', {
      name: 'search_semantic',
      arguments: { query: 'anything' },
    })
    silent.closeAllConnections()
    silent.close()
    expect(error?.['message']).toMatch(/too long|longer than 300 ms/)
    expect(await server.request('ping')).toMatchObject({ result: {} })
  })

  it('a value that makes no sense is refused at the start, by name', async () => {
    await using repository = await createProject()
    expect(
      await waymark(repository.directory, ['serve', '--dialect', 'medulla'], {
        MEDULLA_MAX_BATCH_SIZE: 'many',
      }),
    ).toMatchObject({ exit: 2, out: '', err: expect.stringContaining('maxBatchSize') })
  })

  it('a folder that was not initialised is refused before a word of the protocol', async () => {
    await using repository = createRepository()
    expect(await waymark(repository.directory, ['serve', '--dialect', 'medulla'])).toMatchObject({
      exit: 5,
      out: '',
      err: expect.stringMatching(/not a Waymark project.*run `waymark init`/),
    })
  })
})
