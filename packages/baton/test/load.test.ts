import { connectInMemory, createServer } from '@waymark/baton'
import { expect, test } from 'vitest'
import { createRandom } from './support/random.ts'
import { createSampleServer } from './support/sample-server.ts'
import { openStdio } from './support/stdio-client.ts'

test('10,000 pipelined requests are answered once each', async () => {
  const random = createRandom(1)
  const ids = Array.from({ length: 10_000 }, (_, id) => id)
  for (let last = ids.length - 1; last > 0; last--) {
    const other = random.below(last + 1)
    ;[ids[last], ids[other]] = [ids[other] ?? 0, ids[last] ?? 0]
  }
  const client = openStdio(createSampleServer())
  const lines = ids.map((id) => {
    const params = { name: 'echo', arguments: { text: `number ${id}` } }
    return `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`
  })
  client.write(lines.join(''))
  const answers = await client.end()
  expect(answers).toHaveLength(ids.length)
  const textsById = new Map(
    answers.map(({ id, result }) => [
      id,
      (result as { content: { text: string }[] }).content[0]?.text,
    ]),
  )
  expect(ids.every((id) => textsById.get(id) === `number ${id}`)).toBe(true)
})

test('64 clients with equal ids see no byte of each other in 200,000 answers', async () => {
  const calls = 200_000 / 64
  const server = createSampleServer()
  const clients = Array.from({ length: 64 }, (_, index) => ({ index, client: openStdio(server) }))
  for (let id = 0; id < calls; id++) {
    for (const { index, client } of clients) {
      const params = { name: 'echo', arguments: { text: `client ${index}` } }
      client.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`)
    }
  }
  for (const { index, client } of clients) {
    const answers = await client.end()
    expect(answers).toHaveLength(calls)
    const foreign = client.lines.filter((line) => !line.includes(`"client ${index}"`))
    expect(foreign).toEqual([])
  }
})

test('1,000 races between answer and cancellation end in at most one answer and no work left', async () => {
  const random = createRandom(7)
  let running = 0
  const server = createServer({ name: 'races', version: '1', limits: { concurrency: 8 } }).tool({
    name: 'race',
    async run(_input, { signal }) {
      running++
      for (let turn = random.below(6); turn > 0 && !signal.aborted; turn--) {
        await (random.below(2) > 0
          ? Promise.resolve()
          : new Promise((resolve) => setImmediate(resolve)))
      }
      running--
      return { content: [] }
    },
  })
  const client = connectInMemory(server)
  for (let id = 0; id < 1000; id++) {
    const cancel = (): void => client.notify('notifications/cancelled', { requestId: id })
    if (random.below(10) === 0) cancel()
    client.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'race' } })
    for (let turn = random.below(3); turn > 0; turn--) await Promise.resolve()
    if (random.below(2) > 0) cancel()
    if (random.below(4) === 0) cancel()
    if (random.below(5) === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  await client.drained()
  const ids = client.received.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(running).toBe(0)
  expect((await client.request('ping'))['result']).toEqual({})
})
