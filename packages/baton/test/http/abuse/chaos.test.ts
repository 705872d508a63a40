import { once } from 'node:events'
import { type AddressInfo, connect, createServer as listenTcp, type Socket } from 'node:net'
import { createServer } from '@waymark/baton'
import { listenHttp } from '@waymark/baton/node'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { isFullLevel } from '../../level.ts'
import { SEED } from '../../seed.ts'
import { createRandom, type Random } from '../../support/random.ts'
import { LegacyClient, readAll } from '../http-client.ts'
import { sendModern } from '../modern-client.ts'

const CALLS = isFullLevel ? 10_000 : 200
const AT_ONCE = 16
const LONGEST_PAUSE_MS = isFullLevel ? 200 : 10

/** Forwards bytes in chunks of random size, with delays, and sometimes breaks the connection. */
async function pass(from: Socket, to: Socket, random: Random): Promise<void> {
  const fate = random.below(4) === 0 ? random.pick(['reset', 'half-close', 'close']) : 'none'
  let left = fate === 'none' ? Infinity : random.below(2_000)
  for await (const chunk of from as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length;) {
      const end = Math.min(chunk.length, at + 1 + random.below(random.pick([1, 20, 500, 5_000])))
      const piece = chunk.subarray(at, Math.min(end, at + left))
      if (!to.write(piece)) await Promise.race([once(to, 'drain'), once(to, 'close')])
      left -= piece.length
      if (left <= 0) return breakOff(to, fate)
      if (random.below(20) === 0) await sleep(random.below(LONGEST_PAUSE_MS))
      at = end
    }
  }
  to.end()
}

function breakOff(socket: Socket, fate: string): void {
  if (fate === 'reset') socket.resetAndDestroy()
  else if (fate === 'close') socket.destroy()
  else socket.end()
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })
}

/** An unreliable network between a client and a port. */
async function startNetwork(
  target: () => number,
  random: Random,
): Promise<AsyncDisposable & { port: number }> {
  const sockets = new Set<Socket>()
  const network = listenTcp({ allowHalfOpen: true }, (near) => {
    const far = connect({ port: target(), host: '127.0.0.1', allowHalfOpen: true })
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      pass(socket, other, random).catch(() => {})
    }
  })
  network.listen(0, '127.0.0.1')
  await once(network, 'listening')
  return {
    port: (network.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      network.close()
      for (const socket of sockets) socket.destroy()
      await once(network, 'close')
    },
  }
}

/** Retries until the call succeeds. */
async function untilDone<T>(attempt: () => Promise<T>): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (failures > 100) throw error
    }
  }
}

it(`of ${CALLS} calls through a network that splits, delays and breaks connections none gets a wrong result [chaos-calls-through]`, async () => {
  console.log(`network seed ${SEED}; TEST_SEED=${SEED} repeats this run`)
  const random = createRandom(SEED)
  const runsByText = new Map<string, number>()
  const server = createServer({ name: 'echo', version: '1' }).tool({
    name: 'echo',
    inputSchema: z.object({ text: z.string() }),
    run({ text }, { log }) {
      runsByText.set(text, (runsByText.get(text) ?? 0) + 1)
      if (text.endsWith('loud')) log('info', text)
      return { content: [{ type: 'text', text }] }
    },
  })
  let port = 0
  await using network = await startNetwork(() => port, random)
  const allowedHosts = [`127.0.0.1:${network.port}`]
  const options = { authenticator: 'none', graceMs: 0, allowedHosts } as const
  await using listener = await listenHttp(server, options)
  port = listener.port
  const target = {
    url: `http://127.0.0.1:${network.port}/mcp`,
    send: (request: Request) => fetch(request),
  }
  const client = await untilDone(() => LegacyClient.connect(target))
  const counts = { right: 0, lost: 0, wrong: 0 }

  const callOnce = async (number: number): Promise<void> => {
    const text = `text ${number} ${'x'.repeat(random.below(3_000))}${number % 3 === 0 ? 'loud' : ''}`
    const params = { name: 'echo', arguments: { text } }
    const id = `call ${number}`
    try {
      const response = await (number % 2 === 0
        ? sendModern(target, { method: 'tools/call', params, id })
        : fetch(target.url, {
            method: 'POST',
            headers: client.headers(),
            body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }),
          }))
      const answer = (await readAll(response)).find((message) => message.id === id)
      if (answer === undefined) counts.lost += 1
      else if (
        JSON.stringify(answer.result?.['content']) === JSON.stringify([{ type: 'text', text }])
      )
        counts.right += 1
      else counts.wrong += 1
    } catch {
      counts.lost += 1
    }
  }
  let next = 0
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < CALLS) await callOnce(next++)
    }),
  )
  console.log(`${counts.right} right, ${counts.lost} lost, ${counts.wrong} wrong`)
  expect(counts.wrong).toBe(0)
  expect(Math.min(counts.right, counts.lost)).toBeGreaterThan(0)
  expect([...runsByText.values()].filter((runs) => runs > 1)).toEqual([])
  expect((await untilDone(() => client.request('ping'))).status).toBe(200)
})
