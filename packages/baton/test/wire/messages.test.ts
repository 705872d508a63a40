import { connectInMemory, createServer } from '@waymark/baton'
import type { CallContext, MemoryClient } from '@waymark/baton'
import { expect, test } from 'vitest'
import { MODERN_META } from '../support/sample-server.ts'

function connectTool(run: (context: CallContext) => void): MemoryClient {
  const server = createServer({ name: 'chatty', version: '1' }).tool({
    name: 'talk',
    run(_input, context) {
      run(context)
      return { content: [] }
    },
  })
  return connectInMemory(server)
}

function notifications(client: MemoryClient): unknown[] {
  return client.received.filter((message) => !('id' in message)).map(({ params }) => params)
}

const logAll = ({ log }: CallContext): void => {
  log('debug', 'small')
  log('info', { size: 'medium' }, 'measure')
  log('error', 'large')
}

test('a legacy client gets log messages of level info, or of the level it sets', async () => {
  const client = connectTool(logAll)
  await client.request('initialize', { protocolVersion: '2025-06-18', capabilities: {} })
  await client.request('tools/call', { name: 'talk' })
  expect(notifications(client)).toEqual([
    { level: 'info', data: { size: 'medium' }, logger: 'measure' },
    { level: 'error', data: 'large' },
  ])
  await client.request('logging/setLevel', { level: 'error' })
  await client.request('tools/call', { name: 'talk' })
  expect(notifications(client).slice(2)).toEqual([{ level: 'error', data: 'large' }])
})

test('a level that does not exist is refused', async () => {
  const client = connectTool(() => {})
  const answer = await client.request('logging/setLevel', { level: 'loud' })
  expect(answer).toHaveProperty('error.code', -32602)
})

test('a modern client gets log messages only if the request asks for them', async () => {
  const client = connectTool(logAll)
  await client.request('tools/call', { name: 'talk', _meta: MODERN_META })
  expect(notifications(client)).toEqual([])
  const _meta = { ...MODERN_META, 'io.modelcontextprotocol/logLevel': 'error' }
  await client.request('tools/call', { name: 'talk', _meta })
  expect(notifications(client)).toEqual([{ level: 'error', data: 'large' }])
})

test('progress is sent for the token, only increasing, and only if there is one', async () => {
  const client = connectTool((context) => {
    context.progress(1, 3, 'one')
    context.progress(1)
    context.progress(0)
    context.progress(Number.NaN)
    context.progress(3, 3)
  })
  await client.request('tools/call', { name: 'talk' })
  expect(notifications(client)).toEqual([])
  await client.request('tools/call', { name: 'talk', _meta: { progressToken: 'p' } })
  expect(notifications(client)).toEqual([
    { progressToken: 'p', progress: 1, total: 3, message: 'one' },
    { progressToken: 'p', progress: 3, total: 3 },
  ])
})

test('a flood of progress is throttled but its end arrives', async () => {
  const client = connectTool((context) => {
    for (let value = 1; value <= 10_000; value++) context.progress(value, 10_000)
  })
  await client.request('tools/call', { name: 'talk', _meta: { progressToken: 1 } })
  const sent = notifications(client) as { progress: number }[]
  expect(sent.length).toBeLessThan(1000)
  expect(sent.at(-1)?.progress).toBe(10_000)
})

test('a flood of final progress reports is throttled too [messages-flood-final]', async () => {
  const client = connectTool((context) => {
    for (let value = 1; value <= 10_000; value++) context.progress(value, value)
  })
  await client.request('tools/call', { name: 'talk', _meta: { progressToken: 1 } })
  expect(notifications(client).length).toBeLessThan(1000)
})

test('of requests with the same token only the first reports progress', async () => {
  const contexts: CallContext[] = []
  const ends: (() => void)[] = []
  const server = createServer({ name: 'slow', version: '1' }).tool({
    name: 'wait',
    run(_input, context) {
      contexts.push(context)
      return new Promise((resolve) => ends.push(() => resolve({ content: [] })))
    },
  })
  const client = connectInMemory(server)
  const wait = (): Promise<unknown> =>
    client.request('tools/call', { name: 'wait', _meta: { progressToken: 'same' } })
  const answers = [wait(), wait()]
  for (const value of [1, 2]) for (const { progress } of contexts.toReversed()) progress(value * 10)
  ends[0]?.()
  await answers[0]
  contexts[1]?.progress(30)
  ends[1]?.()
  await answers[1]
  const again = wait()
  contexts[2]?.progress(1)
  ends[2]?.()
  await again
  expect(notifications(client)).toMatchObject([{ progress: 10 }, { progress: 20 }, { progress: 1 }])
})

test('no notification is sent for a request after its response', async () => {
  let late: CallContext | undefined
  const client = connectTool((context) => {
    late = context
  })
  await client.request('tools/call', { name: 'talk', _meta: { progressToken: 1 } })
  late?.log('error', 'too late')
  late?.progress(1)
  expect(notifications(client)).toEqual([])
})

test('a log message outside of a request reaches legacy clients by their level', async () => {
  const server = createServer({ name: 'talker', version: '1', handler: { listTools: () => [] } })
  const quiet = connectInMemory(server)
  const eager = connectInMemory(server)
  for (const [client, level] of [
    [quiet, 'error'],
    [eager, 'debug'],
  ] as const) {
    await client.request('initialize', { protocolVersion: '2025-11-25', capabilities: {} })
    client.notify('notifications/initialized')
    await client.request('logging/setLevel', { level })
  }
  server.notify.log('info', { event: 'task.claimed' }, 'events')
  server.notify.log('error', 'broken')
  await Promise.all([quiet.drained(), eager.drained()])
  const heard = (client: typeof quiet) =>
    client.received
      .filter((message) => !('id' in message))
      .map((message) => Reflect.get(message, 'params') as unknown)
  expect(heard(quiet)).toEqual([{ level: 'error', data: 'broken' }])
  expect(heard(eager)).toEqual([
    { level: 'info', data: { event: 'task.claimed' }, logger: 'events' },
    { level: 'error', data: 'broken' },
  ])
})
