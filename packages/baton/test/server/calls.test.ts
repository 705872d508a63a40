import { connectInMemory, createServer } from '@waymark/baton'
import { expect, test } from 'vitest'
import { createSampleServer } from '../support/sample-server.ts'

function call(id: number, name: string): object {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name } }
}

/** A server whose one tool waits until the test lets it go on. */
function createGate(limits: { concurrency?: number; queue?: number; requestMs?: number }) {
  const gate = { started: 0, signals: [] as AbortSignal[], open: [] as (() => void)[] }
  const server = createServer({ name: 'gate', version: '1', limits }).tool({
    name: 'pass',
    run(_input, { signal }) {
      gate.started++
      gate.signals.push(signal)
      return new Promise((resolve) => gate.open.push(() => resolve({ content: [] })))
    },
  })
  return { gate, client: connectInMemory(server) }
}

test('a cancelled request is not answered and its handler is aborted', async () => {
  const { gate, client } = createGate({})
  client.send(call(1, 'pass'))
  client.notify('notifications/cancelled', { requestId: 1, reason: 'enough' })
  expect(gate.signals[0]?.reason).toEqual(new Error('enough'))
  gate.open[0]?.()
  await client.drained()
  expect(client.received).toEqual([])
})

test('a cancelled handler keeps its slot until it has stopped', async () => {
  const { gate, client } = createGate({ concurrency: 1 })
  client.send(call(1, 'pass'))
  client.notify('notifications/cancelled', { requestId: 1 })
  client.send(call(2, 'pass'))
  expect(gate.started).toBe(1)
  gate.open[0]?.()
  await expect.poll(() => gate.started).toBe(2)
  gate.open[1]?.()
  await client.drained()
  expect(client.received).toMatchObject([{ id: 2, result: {} }])
})

test('requests over the limit wait, and a waiting one can be cancelled', async () => {
  const { gate, client } = createGate({ concurrency: 1 })
  for (const id of [1, 2, 3]) client.send(call(id, 'pass'))
  client.notify('notifications/cancelled', { requestId: 2 })
  gate.open[0]?.()
  await expect.poll(() => gate.started).toBe(2)
  gate.open[1]?.()
  await client.drained()
  expect(client.received.map((message) => message['id'])).toEqual([1, 3])
})

test('a full queue is a retryable error', async () => {
  const { gate, client } = createGate({ concurrency: 1, queue: 1 })
  for (const id of [1, 2, 3]) client.send(call(id, 'pass'))
  expect(client.received).toMatchObject([{ id: 3, error: { code: -32000 } }])
  gate.open[0]?.()
  await expect.poll(() => gate.started).toBe(2)
})

test('an id that is in use is refused, and may be reused after the response', async () => {
  const { gate, client } = createGate({})
  client.send(call(1, 'pass'))
  client.send(call(1, 'pass'))
  expect(client.received).toMatchObject([{ id: 1, error: { code: -32600 } }])
  gate.open[0]?.()
  await client.drained()
  client.send(call(1, 'pass'))
  gate.open[1]?.()
  await client.drained()
  expect(client.received.slice(1)).toMatchObject([{ result: {} }, { result: {} }])
})

test('a request that times out is answered and its handler is aborted', async () => {
  const { gate, client } = createGate({ requestMs: 5 })
  const { error } = await client.request('tools/call', { name: 'pass' })
  expect(error).toMatchObject({ code: -32001, message: 'request took longer than 5 ms' })
  expect(gate.signals[0]?.aborted).toBe(true)
  gate.open[0]?.()
  await client.drained()
  expect(client.received).toHaveLength(1)
})

test('a timeout longer than the longest timer does not fire at once', async () => {
  const warnings: string[] = []
  const onWarning = ({ name }: Error): void => void warnings.push(name)
  process.on('warning', onWarning)
  const { gate, client } = createGate({ requestMs: 2 ** 31 + 1_999 })
  const answer = client.request('tools/call', { name: 'pass' })
  await new Promise((resolve) => setTimeout(resolve, 20))
  gate.open[0]?.()
  expect(await answer).toMatchObject({ result: {} })
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
})

test('closing aborts running calls and sends no more responses', async () => {
  const { gate, client } = createGate({})
  client.send(call(1, 'pass'))
  client.close()
  expect(gate.signals[0]?.aborted).toBe(true)
  client.send(call(2, 'pass'))
  expect(gate.started).toBe(1)
  expect(client.received).toEqual([])
})

test('cancelling an ended, unknown or invalid id is a no-op', async () => {
  const client = connectInMemory(createSampleServer())
  await client.request('ping')
  for (const requestId of ['memory-1', 99, null, {}, 1.5]) {
    client.notify('notifications/cancelled', { requestId })
  }
  expect((await client.request('ping'))['result']).toEqual({})
})
