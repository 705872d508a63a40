import { connectInMemory, createServer } from '@waymark/baton'
import type { Limits, MemoryClient } from '@waymark/baton'
import { expect, test } from 'vitest'
import { createRandom } from '../support/random.ts'

/** Clients of one server, whose tool says that it started and waits until the test lets it go on. */
function connectMany<Name extends string>(names: readonly Name[], limits: Partial<Limits>) {
  const started: string[] = []
  const openByName = new Map<string, () => void>()
  const server = createServer({ name: 'gate', version: '1', limits }).tool({
    name: 'pass',
    inputSchema: { type: 'object', properties: { as: { type: 'string' } } },
    run: ({ as }) => {
      started.push(String(as))
      return new Promise((resolve) => {
        openByName.set(String(as), () => resolve({ content: [] }))
      })
    },
  })
  const connected = names.map((name) => [name, connectInMemory(server)] as const)
  return {
    started,
    clients: Object.fromEntries(connected) as Record<Name, MemoryClient>,
    open: (name: string) => openByName.get(name)?.(),
  }
}

function call(as: string): object {
  const params = { name: 'pass', arguments: { as } }
  return { jsonrpc: '2.0', id: as, method: 'tools/call', params }
}

test('requests of other connections wait when the server is full', async () => {
  const { started, clients, open } = connectMany(['a', 'b'], { totalConcurrency: 1 })
  clients.a.send(call('a1'))
  clients.b.send(call('b1'))
  expect(started).toEqual(['a1'])
  open('a1')
  await expect.poll(() => started).toEqual(['a1', 'b1'])
  open('b1')
  await clients.b.drained()
  expect(clients.b.received).toMatchObject([{ id: 'b1', result: {} }])
})

test('connections take turns, regardless of how many requests one sends', async () => {
  const { started, clients, open } = connectMany(['a', 'b'], { totalConcurrency: 1 })
  for (const name of ['a1', 'a2', 'a3', 'a4']) clients.a.send(call(name))
  for (const name of ['b1', 'b2']) clients.b.send(call(name))
  const expected = ['a1', 'a2', 'b1', 'a3', 'b2', 'a4']
  for (const [at, name] of expected.entries()) {
    await expect.poll(() => started).toEqual(expected.slice(0, at + 1))
    open(name)
  }
  await clients.a.drained()
  expect(clients.a.received).toHaveLength(4)
})

test.each([
  [
    'cancels',
    (client: MemoryClient) => client.notify('notifications/cancelled', { requestId: 'b1' }),
  ],
  ['disconnects', (client: MemoryClient) => client.close()],
])('a client that %s while waiting takes no turn', async (_case, leave) => {
  const { started, clients, open } = connectMany(['a', 'b', 'c'], { totalConcurrency: 1 })
  clients.a.send(call('a1'))
  clients.b.send(call('b1'))
  clients.c.send(call('c1'))
  leave(clients.b)
  await clients.b.drained()
  open('a1')
  await expect.poll(() => started).toEqual(['a1', 'c1'])
  open('c1')
  await clients.c.drained()
  expect(clients.b.received).toEqual([])
})

test('a full server queue is a retryable error', () => {
  const { clients } = connectMany(['a', 'b', 'c'], { totalConcurrency: 1, queue: 1 })
  clients.a.send(call('a1'))
  clients.b.send(call('b1'))
  clients.c.send(call('c1'))
  expect(clients.c.received).toMatchObject([{ id: 'c1', error: { code: -32000 } }])
})

test('a request can time out while it waits', async () => {
  const { started, clients } = connectMany(['a', 'b'], { totalConcurrency: 1, requestMs: 5 })
  clients.a.send(call('a1'))
  clients.b.send(call('b1'))
  const answer = await clients.b.next(({ id }) => id === 'b1')
  expect(answer['error']).toMatchObject({ code: -32001 })
  expect(started).toEqual(['a1'])
})

test('a listen stream holds no slot', async () => {
  const server = createServer({ name: 's', version: '1', limits: { totalConcurrency: 1 } }).tool({
    name: 'any',
    run: () => ({}),
  })
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { _meta, notifications: { toolsListChanged: true } }
  const listener = connectInMemory(server)
  listener.send({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params })
  await listener.next(({ method }) => method === 'notifications/subscriptions/acknowledged')
  expect(await connectInMemory(server).request('tools/list')).toHaveProperty('result')
})

test('with random calls and cancellations, all are served and the limit holds', async () => {
  const random = createRandom(7)
  const counts = { now: 0, most: 0 }
  const limits = { totalConcurrency: 3, concurrency: 2 }
  const server = createServer({ name: 's', version: '1', limits }).tool({
    name: 'work',
    async run() {
      counts.most = Math.max(counts.most, ++counts.now)
      for (let turns = random.below(5); turns > 0; turns--) await Promise.resolve()
      counts.now--
      return { content: [] }
    },
  })
  const clients = Array.from({ length: 20 }, () => connectInMemory(server))
  for (let id = 0; id < 1000; id++) {
    const client = random.pick(clients)
    client.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'work' } })
    if (random.below(4) === 0) client.notify('notifications/cancelled', { requestId: id })
    if (random.below(10) === 0) await Promise.resolve()
  }
  await Promise.all(clients.map((client) => client.drained()))
  expect(counts).toEqual({ now: 0, most: 3 })
  expect(await clients[0]?.request('tools/call', { name: 'work' })).toHaveProperty('result')
})
