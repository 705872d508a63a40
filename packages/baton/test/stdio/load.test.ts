import { connectInMemory, createServer } from '@waymark/baton'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { formatCount, isFullLevel } from '../level.ts'
import { createRandom } from '../support/random.ts'
import { createSampleServer, MODERN_META } from '../support/sample-server.ts'
import { openStdio } from '../support/stdio-client.ts'

const CLIENTS = 64
const ANSWERS = isFullLevel ? 200_000 : 6_400
const CALLS = ANSWERS / CLIENTS
const ROUNDS = isFullLevel ? 50 : 1
/** One of this many calls logs and reports progress. */
const LOUD_EACH = 5
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel'

test('10,000 pipelined requests are answered once each [load-10-000]', async () => {
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

test(`${CLIENTS} clients of both eras with equal ids see no byte of each other in ${formatCount(ANSWERS)} responses [load-clients-both]`, async () => {
  const counts = { answers: 0, logs: 0, reports: 0, foreign: 0 }
  for (let round = 0; round < ROUNDS; round++) await sing(counts)
  const loud = ROUNDS * CLIENTS * Math.ceil(CALLS / LOUD_EACH)
  const answers = ROUNDS * CLIENTS * CALLS
  expect(counts).toEqual({ answers, logs: loud, reports: loud, foreign: 0 })
})

/** Lets all clients call concurrently and counts the messages they receive. */
async function sing(counts: Record<'answers' | 'logs' | 'reports' | 'foreign', number>) {
  const server = createServer({ name: 'canary', version: '1' }).tool({
    name: 'sing',
    inputSchema: z.object({ canary: z.string(), loud: z.boolean() }),
    async run({ canary, loud }, { log, progress }) {
      if (loud) log('info', canary)
      // Yields, so that messages of other calls come in between.
      await Promise.resolve()
      if (loud) progress(1, 2, canary)
      return { content: [{ type: 'text', text: canary }] }
    },
  })
  const clients = Array.from({ length: CLIENTS }, (_, index) => ({
    canary: `canary ${index};`,
    meta: index % 2 === 0 ? {} : { ...MODERN_META, [LOG_LEVEL]: 'info' },
    client: openStdio(server),
  }))
  for (let id = 0; id < CALLS; id++) {
    const loud = id % LOUD_EACH === 0
    for (const { canary, client, meta } of clients) {
      const _meta = loud ? { ...meta, progressToken: id } : meta
      const params = { name: 'sing', arguments: { canary, loud }, _meta }
      client.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`)
    }
  }
  for (const { canary, client } of clients) {
    await client.end()
    const ids = new Set<string>()
    for (const line of client.lines) {
      // Every message carries the canary of its client, and no other.
      if (line.split('canary ').length !== 2 || !line.includes(canary)) counts.foreign++
      if (line.includes('"notifications/message"')) counts.logs++
      else if (line.includes('"notifications/progress"')) counts.reports++
      else ids.add(/"id":(\d+)/.exec(line)?.[1] ?? line)
    }
    counts.answers += ids.size
  }
}

test('1,000 races between response and cancellation end in at most one response and no work left [load-1-000]', async () => {
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
