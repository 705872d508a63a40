import { connectInMemory, createServer, ProtocolError, TASKS_EXTENSION } from '@waymark/baton'
import type {
  CallToolResult,
  DetailedTask,
  JsonObject,
  MemoryClient,
  Server,
  ServerOptions,
} from '@waymark/baton'
import { expect, test, vi } from 'vitest'
import { MemoryRecordStore } from '../../src/session/memory/record-store.ts'
import { MODERN_META } from '../support/sample-server.ts'

const FORM = {
  message: 'Sure?',
  requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } } },
} as const
const META = {
  ...MODERN_META,
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: {},
    extensions: { [TASKS_EXTENSION]: {} },
  },
}
const YES = { action: 'accept', content: { ok: true } }

interface Gate {
  open(): void
  signal: AbortSignal | undefined
}

function createWorking(options: Partial<ServerOptions> = {}): { server: Server; gate: Gate } {
  const gate: Gate = { open: () => {}, signal: undefined }
  const server = createServer({ name: 'working', version: '1', ...options })
    .tool({
      name: 'slow',
      task: 'optional',
      run(_input, { signal }) {
        gate.signal = signal
        return new Promise((resolve, reject) => {
          gate.open = () => resolve({ structuredContent: { done: true } })
          signal.addEventListener('abort', () => reject(signal.reason as Error))
        })
      },
    })
    .tool({ name: 'quick', run: () => ({ content: [{ type: 'text', text: 'now' }] }) })
    .tool({
      name: 'failing',
      task: 'required',
      run() {
        throw new Error('no luck')
      },
    })
    .tool({
      name: 'broken',
      task: 'optional',
      run() {
        throw new ProtocolError(-32050, 'out of order', { part: 1 })
      },
    })
    .tool({
      name: 'confirm',
      task: 'optional',
      async run(_input, { requestInput }) {
        const { one, two } = await requestInput({
          one: { method: 'elicitation/create', params: FORM },
          two: { method: 'elicitation/create', params: FORM },
        })
        return { structuredContent: [one.action, two.action] }
      },
    })
    .tool({
      name: 'ask_then_work',
      async run(_input, { elicit, becomeTask }) {
        const { action } = await elicit(FORM, 'before')
        await becomeTask({ required: true })
        return { structuredContent: action }
      },
    })
  return { server, gate }
}

async function start(client: MemoryClient, name: string, extra: object = {}): Promise<JsonObject> {
  const response = await client.request('tools/call', { name, _meta: META, ...extra })
  return response['result'] as JsonObject
}

function get(client: MemoryClient, taskId: unknown): Promise<JsonObject> {
  return client.request('tasks/get', { taskId, _meta: META })
}

async function waitFor(
  client: MemoryClient,
  taskId: unknown,
  status: string,
): Promise<DetailedTask> {
  for (;;) {
    const task = (await get(client, taskId))['result'] as DetailedTask
    if (task.status === status) return task
    await new Promise((resolve) => setImmediate(resolve))
  }
}

test('a tool with task support returns a task and finishes later', async () => {
  const { server, gate } = createWorking()
  const client = connectInMemory(server)
  const created = await start(client, 'slow')
  expect(created).toEqual({
    resultType: 'task',
    taskId: expect.stringMatching(/^[\w-]{43}$/) as string,
    status: 'working',
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
    lastUpdatedAt: created['createdAt'],
    ttlMs: 3_600_000,
    pollIntervalMs: 500,
    _meta: expect.any(Object) as object,
  })
  await client.drained()
  expect((await get(client, created['taskId']))['result']).toMatchObject({ status: 'working' })
  gate.open()
  const done = await waitFor(client, created['taskId'], 'completed')
  expect(done.result).toEqual({
    content: [{ type: 'text', text: '{"done":true}' }],
    structuredContent: { done: true },
  })
  expect(done).toMatchObject({ resultType: 'complete' })
})

test('without the extension a task tool is answered at once, unless it needs to be a task', async () => {
  const { server, gate } = createWorking()
  const client = connectInMemory(server)
  const answer = client.request('tools/call', { name: 'slow', _meta: MODERN_META })
  await expect.poll(() => gate.signal).toBeDefined()
  gate.open()
  expect((await answer)['result']).toMatchObject({ structuredContent: { done: true } })
  const refused = await client.request('tools/call', { name: 'failing', _meta: MODERN_META })
  expect(refused['error']).toMatchObject({
    code: -32021,
    data: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
  })
})

test('an error of the tool completes the task, an error of the protocol fails it', async () => {
  const client = connectInMemory(createWorking().server)
  const failing = await start(client, 'failing')
  expect(await waitFor(client, failing['taskId'], 'completed')).toMatchObject({
    result: { isError: true, content: [{ text: 'no luck' }] },
  })
  const broken = await start(client, 'broken')
  const failed = await waitFor(client, broken['taskId'], 'failed')
  expect(failed.error).toEqual({ code: -32050, message: 'out of order', data: { part: 1 } })
  expect(failed).not.toHaveProperty('result')
})

test('a cancelled task stays cancelled, and its handler is aborted', async () => {
  const { server, gate } = createWorking()
  const client = connectInMemory(server)
  const { taskId } = await start(client, 'slow')
  const cancelled = await client.request('tasks/cancel', { taskId, _meta: META })
  expect(cancelled['result']).toEqual({
    resultType: 'complete',
    _meta: expect.any(Object) as object,
  })
  expect(gate.signal?.aborted).toBe(true)
  await waitFor(client, taskId, 'cancelled')
  const again = await client.request('tasks/cancel', { taskId, _meta: META })
  expect(again).toHaveProperty('result.resultType', 'complete')
  expect((await get(client, taskId))['result']).toMatchObject({ status: 'cancelled' })
})

test('a task asks through its status and takes responses one by one', async () => {
  const client = connectInMemory(createWorking().server)
  const { taskId } = await start(client, 'confirm')
  const asking = await waitFor(client, taskId, 'input_required')
  expect(Object.keys(asking.inputRequests ?? {})).toEqual(['one', 'two'])
  const update = (inputResponses: unknown): Promise<JsonObject> =>
    client.request('tasks/update', { taskId, inputResponses, _meta: META })
  expect(await update({ unknown: { ignored: true } })).toHaveProperty('result.resultType')
  expect(await update({ one: 7 })).toHaveProperty('error.code', -32602)
  expect(await update('all')).toHaveProperty('error.code', -32602)
  await update({ one: YES })
  const half = (await get(client, taskId))['result'] as DetailedTask
  expect(half).toMatchObject({ status: 'input_required' })
  expect(Object.keys(half.inputRequests ?? {})).toEqual(['two'])
  await update({ two: { action: 'decline' } })
  const done = await waitFor(client, taskId, 'completed')
  expect(done.result).toMatchObject({ structuredContent: ['accept', 'decline'] })
  expect(done).not.toHaveProperty('inputRequests')
})

test('a tool can ask first and become a task then', async () => {
  const client = connectInMemory(createWorking().server)
  const asked = await start(client, 'ask_then_work')
  expect(asked).toMatchObject({ resultType: 'input_required' })
  expect(asked).not.toHaveProperty('taskId')
  const created = await start(client, 'ask_then_work', { inputResponses: { before: YES } })
  expect(created).toMatchObject({ resultType: 'task' })
  expect(created).not.toHaveProperty('requestState')
  const done = await waitFor(client, created['taskId'], 'completed')
  expect(done.result).toMatchObject({ structuredContent: 'accept' })
})

test('a task is visible only to its owner', async () => {
  const { server } = createWorking()
  const alice = connectInMemory(server, { principal: { id: 'alice' } })
  const bob = connectInMemory(server, { principal: { id: 'bob' } })
  const { taskId } = await start(alice, 'failing')
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    const params = { taskId, inputResponses: {}, _meta: META }
    expect(await bob.request(method, params)).toHaveProperty('error.code', -32602)
    expect(await alice.request(method, params)).toHaveProperty('result')
  }
})

test('task methods need the extension, on the server and on the client', async () => {
  const client = connectInMemory(createWorking().server)
  const params = { taskId: 'x', inputResponses: {} }
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    const undeclared = await client.request(method, { ...params, _meta: MODERN_META })
    expect(undeclared).toHaveProperty('error.code', -32021)
    const unknown = await client.request(method, { ...params, _meta: META })
    expect(unknown).toHaveProperty('error.code', -32602)
  }
  for (const method of ['tasks/list', 'tasks/result']) {
    const removed = await client.request(method, { ...params, _meta: META })
    expect(removed).toHaveProperty('error.code', -32601)
  }
  const plain = connectInMemory(createServer({ name: 'plain', version: '1' }))
  expect(await get(plain, 'x')).toHaveProperty('error.code', -32601)
})

test('a listen stream is notified of every change of a task', async () => {
  const { server, gate } = createWorking()
  const client = connectInMemory(server)
  const { taskId } = await start(client, 'slow')
  client.send({
    jsonrpc: '2.0',
    id: 'listen',
    method: 'subscriptions/listen',
    params: { notifications: { taskIds: [taskId, 'unknown'] }, _meta: META },
  })
  const acknowledged = await client.next(
    ({ method }) => method === 'notifications/subscriptions/acknowledged',
  )
  expect(acknowledged).toHaveProperty('params.notifications', { taskIds: [taskId] })
  gate.open()
  const told = await client.next(({ method }) => method === 'notifications/tasks')
  expect(told['params']).toMatchObject({ taskId, status: 'completed', result: {} })
})

test('a task outlives the connection it was started through', async () => {
  const { server, gate } = createWorking()
  const client = connectInMemory(server)
  const { taskId } = await start(client, 'slow')
  client.close()
  const next = connectInMemory(server)
  expect((await get(next, taskId))['result']).toMatchObject({ status: 'working' })
  gate.open()
  await waitFor(next, taskId, 'completed')
})

test('another process sees a task, and fails it once its lease has expired', async () => {
  let now = 1_000_000
  vi.spyOn(Date, 'now').mockImplementation(() => now)
  const records = new MemoryRecordStore(() => now)
  const { taskId } = await start(
    connectInMemory(createWorking({ tasks: { records } }).server),
    'slow',
  )
  const other = connectInMemory(createWorking({ tasks: { records } }).server)
  expect((await get(other, taskId))['result']).toMatchObject({ status: 'working' })
  now += 31_000
  expect((await get(other, taskId))['result']).toMatchObject({
    status: 'failed',
    error: { code: -32603, message: 'the server that ran this task has stopped' },
  })
  now += 3_600_000
  expect(await get(other, taskId)).toHaveProperty('error.code', -32602)
  vi.restoreAllMocks()
})

test('with a ticket another process resumes the work, once and after the lease has expired', async () => {
  let now = 1_000_000
  vi.spyOn(Date, 'now').mockImplementation(() => now)
  const records = new MemoryRecordStore(() => now)
  const resumed: string[] = []
  const resume = (ticket: string): CallToolResult => {
    resumed.push(ticket)
    if (ticket === 'job 2') throw new Error('no luck')
    return { structuredContent: { ticket } }
  }
  const create = (): MemoryClient => {
    const server = createServer({ name: 'durable', version: '1', tasks: { records, resume } })
    server.tool({
      name: 'work',
      inputSchema: { type: 'object' },
      async run({ ticket }, { becomeTask }) {
        const isTask = await becomeTask({ ticket: String(ticket) })
        return isTask ? await new Promise(() => {}) : { structuredContent: { isTask } }
      },
    })
    return connectInMemory(server)
  }
  const first = create()
  const begin = (ticket: string): Promise<JsonObject> =>
    start(first, 'work', { arguments: { ticket } })
  const [one, two, three] = [await begin('job 1'), await begin('job 2'), await begin('job 3')]
  const others = [create(), create()]
  for (const other of others) {
    expect((await get(other, one?.['taskId']))['result']).toMatchObject({ status: 'working' })
  }
  expect(resumed).toEqual([])
  now += 31_000
  await Promise.all(others.map((other) => get(other, one?.['taskId'])))
  const done = await waitFor(others[0]!, one?.['taskId'], 'completed')
  expect(done).toMatchObject({ result: { structuredContent: { ticket: 'job 1' } } })
  expect(done).not.toHaveProperty('ticket')
  expect(await waitFor(others[0]!, two?.['taskId'], 'completed')).toMatchObject({
    result: { isError: true, content: [{ text: 'no luck' }] },
  })
  await others[0]!.request('tasks/cancel', { taskId: three?.['taskId'], _meta: META })
  expect((await get(others[1]!, three?.['taskId']))['result']).toMatchObject({
    status: 'cancelled',
  })
  expect(resumed).toEqual(['job 1', 'job 2'])
  const plain = await first.request('tools/call', { name: 'work', _meta: MODERN_META })
  expect(plain['result']).toMatchObject({ structuredContent: { isTask: false } })
  vi.restoreAllMocks()
})

test('responses and cancellation reach a task through another process', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const records = new MemoryRecordStore(Date.now)
  const { server, gate } = createWorking({ tasks: { records } })
  const here = connectInMemory(server)
  const elsewhere = connectInMemory(createWorking({ tasks: { records } }).server)
  const { taskId } = await start(here, 'confirm')
  await waitFor(elsewhere, taskId, 'input_required')
  const inputResponses = { one: YES, two: { action: 'decline' } }
  await elsewhere.request('tasks/update', { taskId, inputResponses, _meta: META })
  await waitFor(elsewhere, taskId, 'working')
  vi.advanceTimersByTime(1000)
  const done = await waitFor(elsewhere, taskId, 'completed')
  expect(done.result).toMatchObject({ structuredContent: ['accept', 'decline'] })

  const { taskId: slow } = await start(here, 'slow')
  await elsewhere.request('tasks/cancel', { taskId: slow, _meta: META })
  vi.advanceTimersByTime(1000)
  await expect.poll(() => gate.signal?.aborted).toBe(true)
  vi.useRealTimers()
})

test('a running task renews its lease', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] })
  const records = new MemoryRecordStore(Date.now)
  const { taskId } = await start(
    connectInMemory(createWorking({ tasks: { records } }).server),
    'slow',
  )
  const other = connectInMemory(createWorking({ tasks: { records } }).server)
  for (let second = 0; second < 120; second++) {
    vi.advanceTimersByTime(1000)
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect((await get(other, taskId))['result']).toMatchObject({ status: 'working' })
  vi.useRealTimers()
})

test('more tasks than the limit are refused as busy', async () => {
  const client = connectInMemory(createWorking({ tasks: { limit: 1 } }).server)
  const { taskId } = await start(client, 'slow')
  const refused = await client.request('tools/call', { name: 'slow', _meta: META })
  expect(refused).toHaveProperty('error.code', -32000)
  await client.request('tasks/cancel', { taskId, _meta: META })
  await expect.poll(() => start(client, 'slow')).toMatchObject({ resultType: 'task' })
})
