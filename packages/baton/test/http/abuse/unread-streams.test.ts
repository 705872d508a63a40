import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isFullLevel } from '../../level.ts'
import { createFolder } from '../../session/stores.ts'
import { readMemory } from '../../support/memory.ts'
import { LegacyClient } from '../http-client.ts'
import { startSessionServer } from '../session-server.ts'

const READERS = isFullLevel ? 64 : 4
/** Each of these is sent to every reader. */
const NOTIFICATIONS = isFullLevel ? 1_600 : 600
const MEBIBYTE = 1024 * 1024
/** So large that a stream exceeds the event log and the socket buffers together. */
const URI = `test://${'x'.repeat(32_000)}`

/** Opens the stream of a session and reads nothing of it. */
async function openUnread(client: LegacyClient): Promise<Socket> {
  const { hostname, port, host, pathname } = new URL(client.url)
  const socket = connect(Number(port), hostname).on('error', () => {})
  socket.pause()
  const own = { host, accept: 'text/event-stream', connection: 'close' }
  const headers = Object.entries({ ...client.headers(), ...own })
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  await once(socket, 'connect')
  socket.write([`GET ${pathname} HTTP/1.1`, ...lines, '', ''].join('\r\n'))
  return socket
}

async function p99(client: LegacyClient): Promise<number> {
  const times: number[] = []
  for (let count = 0; count < 100; count += 1) {
    const began = performance.now()
    await client.call('ping')
    times.push(performance.now() - began)
  }
  return times.toSorted((one, other) => one - other)[98] ?? 0
}

it(`${READERS} clients that never read are disconnected, cost little, and others are served [unread-streams-clients-never]`, async () => {
  await using folder = await createFolder()
  const { child, url } = await startSessionServer(join(folder.path, 'sessions.db'))
  const target = { url, send: (request: Request) => fetch(request) }
  const other = await LegacyClient.connect(target)
  const readers = await Promise.all(
    Array.from({ length: READERS }, async () => {
      const client = await LegacyClient.connect(target)
      await client.call('resources/subscribe', { uri: URI })
      return { client, socket: await openUnread(client) }
    }),
  )
  const quiet = await p99(other)
  const before = readMemory(child.pid)
  let largest = before?.now ?? 0
  for (let sent = 0; sent < NOTIFICATIONS; sent += 10) {
    const params = { name: 'emit', arguments: { count: 10, uri: URI } }
    expect((await other.call('tools/call', params)).result).toBeDefined()
    largest = Math.max(largest, readMemory(child.pid)?.now ?? 0)
  }
  const busy = await p99(other)
  console.log(
    `of 100 pings the 99th took ${quiet.toFixed(1)} ms before, ${busy.toFixed(1)} ms after`,
  )

  const outcomes = new Set<string>()
  for (const { client, socket } of readers) outcomes.add(await readLate(client, socket))
  expect(outcomes).toEqual(new Set(['told that events are gone']))
  await child.kill()
  if (before === undefined) return
  const growth = largest - before.now
  const sent = READERS * NOTIFICATIONS * URI.length
  console.log(
    `${(sent / MEBIBYTE).toFixed(0)} MiB for readers that read nothing: ` +
      `the process grew by ${(growth / MEBIBYTE).toFixed(1)} MiB`,
  )
  // Each stream stores one mebibyte, which is read into memory once; the rest is not garbage collected yet.
  expect(growth).toBeLessThan((150 + 4 * READERS) * MEBIBYTE)
})

/** Reads the rest of a stream, and resumes with the last complete event id. */
async function readLate(client: LegacyClient, socket: Socket): Promise<string> {
  let text = ''
  for await (const chunk of socket.setEncoding('utf8')) text += String(chunk)
  // One stream cannot hold all events, so fewer arrive, and the resumption reports the gap.
  if (text.length > NOTIFICATIONS * URI.length) return 'given everything'
  const lastEventId = [...text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1] ?? ''
  const response = await client.get({ 'last-event-id': lastEventId })
  await response.body?.cancel()
  return response.status === 410 ? 'told that events are gone' : `answered ${response.status}`
}
