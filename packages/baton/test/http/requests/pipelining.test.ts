import { once } from 'node:events'
import { connect } from 'node:net'
import { type HttpListener, listenHttp } from '@waymark/baton/node'
import { expect, it } from 'vitest'
import { formatCount, isFullLevel } from '../../level.ts'
import { SEED } from '../../seed.ts'
import { createRandom } from '../../support/random.ts'
import { createSampleServer, MODERN_META } from '../../support/sample-server.ts'

const REQUESTS_PER_ROUND = isFullLevel ? 2_000 : 300
const SOCKETS = [1, 2, 4, 8, 16]
const REQUESTS = SOCKETS.length * REQUESTS_PER_ROUND

function spell({ port }: HttpListener, id: number): string {
  const params = { name: 'echo', arguments: { text: `number ${id}` }, _meta: MODERN_META }
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })
  return [
    'POST /mcp HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    'MCP-Protocol-Version: 2026-07-28',
    'Mcp-Method: tools/call',
    'Mcp-Name: echo',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n')
}

/** Sends all requests without waiting, reads the answers in turn, and says how long each took. */
async function pipeline(listener: HttpListener, ids: readonly number[]): Promise<number[]> {
  const socket = connect(listener.port, '127.0.0.1')
  await once(socket, 'connect')
  const began = performance.now()
  socket.write(ids.map((id) => spell(listener, id)).join(''))
  const times: number[] = []
  let rest = ''
  for await (const chunk of socket.setEncoding('utf8')) {
    rest += String(chunk)
    for (;;) {
      const head = rest.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(rest.slice(0, head))?.[1] ?? 0)
      if (head === -1 || rest.length < head + 4 + length) break
      const answer: unknown = JSON.parse(rest.slice(head + 4, head + 4 + length))
      rest = rest.slice(head + 4 + length)
      const id = ids[times.length]
      expect(answer).toMatchObject({ id, result: { content: [{ text: `number ${id}` }] } })
      times.push(performance.now() - began)
    }
    if (times.length === ids.length) break
  }
  socket.destroy()
  return times
}

it(`${formatCount(REQUESTS)} pipelined requests over 1 to 16 connections are answered once each [pipelining-pipelined-requests]`, async () => {
  console.log(`order seed ${SEED}; TEST_SEED=${SEED} repeats this run`)
  const random = createRandom(SEED)
  const server = createSampleServer()
  await using listener = await listenHttp(server, { authenticator: 'none', graceMs: 0 })
  let answered = 0
  for (const sockets of SOCKETS) {
    const ids = Array.from({ length: REQUESTS_PER_ROUND }, (_, id) => id)
    const shares = Array.from({ length: sockets }, (): number[] => [])
    while (ids.length > 0) {
      const [id = 0] = ids.splice(random.below(ids.length), 1)
      random.pick(shares).push(id)
    }
    const times = (await Promise.all(shares.map((share) => pipeline(listener, share)))).flat()
    answered += times.length
    const p99 = times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? 0
    console.log(`${sockets} connections: the 99th of 100 answers came after ${p99.toFixed(0)} ms`)
  }
  expect(answered).toBe(REQUESTS)
})
