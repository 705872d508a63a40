import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { isFullLevel } from '../../level.ts'
import { createFolder } from '../../session/stores.ts'
import { readMemory } from '../../support/memory.ts'
import { eventsOf, LegacyClient, openEvents, take } from '../http-client.ts'
import { sendModern } from '../modern-client.ts'
import { startSessionServer } from '../session-server.ts'

const ABANDONED = isFullLevel ? 100_000 : 400
const MAX_SESSIONS = isFullLevel ? 10_000 : 300
const WARM_UP = isFullLevel ? 200 : 50
const AT_ONCE = 8
const ABANDONED_STREAMS = isFullLevel ? 10_000 : 80
const MEBIBYTE = 1024 * 1024

it('abandoned sessions cost little, new ones are refused at the limit, and other clients are served [abandoned-sessions-cost-little]', async () => {
  await using folder = await createFolder()
  const { child, url } = await startSessionServer(join(folder.path, 'sessions.db'), {
    maxSessions: MAX_SESSIONS,
    // No eviction here, so that the limit is reached; eviction of idle sessions has its own test with a fake clock.
    evictableAfterMs: 3_600_000,
    disconnectedIdleMs: 7_200_000,
  })
  const target = { url, send: (request: Request) => fetch(request) }
  const old = await LegacyClient.connect(target)
  const counts = { opened: 0, refused: 0 }
  const abandon = async (count: number): Promise<void> => {
    let left = count
    const next = async (): Promise<void> => {
      while (left-- > 0) {
        const response = await new LegacyClient(target).initialize()
        await response.text()
        if (response.status === 200) counts.opened += 1
        else {
          expect(response.status).toBe(503)
          expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
          counts.refused += 1
        }
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, next))
  }

  await abandon(WARM_UP)
  const before = readMemory(child.pid)
  await abandon(ABANDONED)
  const after = readMemory(child.pid)
  expect(counts).toEqual({
    opened: MAX_SESSIONS - 1,
    refused: WARM_UP + ABANDONED - MAX_SESSIONS + 1,
  })
  expect((await old.call('tools/call', { name: 'whoami' })).result).toMatchObject({
    structuredContent: { client: { name: 'raw' } },
  })
  expect((await old.delete()).status).toBe(204)
  expect((await new LegacyClient(target).initialize()).status).toBe(200)
  await child.kill()
  if (before === undefined || after === undefined) return
  const growth = after.now - before.now
  console.log(
    `${ABANDONED} sessions were tried: the process grew by ${(growth / MEBIBYTE).toFixed(1)} MiB`,
  )
  expect(growth).toBeLessThan(64 * MEBIBYTE)
})

it('abandoned streams cost little, are closed by the server, and other clients are served [abandoned-sessions-streams-cost]', async () => {
  await using folder = await createFolder()
  const { child, url } = await startSessionServer(join(folder.path, 'sessions.db'))
  await using _ = { [Symbol.asyncDispose]: () => child.kill() }
  const target = { url, send: (request: Request) => fetch(request) }
  const listener = await LegacyClient.connect(target)
  const heard = eventsOf(await listener.get())
  await take(heard, 1)
  const listen = { method: 'subscriptions/listen', params: { notifications: {} } }
  const leave = async (count: number): Promise<void> => {
    let left = count
    const next = async (): Promise<void> => {
      const client = await LegacyClient.connect(target)
      while (left-- > 0) {
        const open = left % 2 === 0 ? () => sendModern(target, listen) : () => client.get()
        let response = await open()
        // The previous stream counts as open until the server notices that its client disconnected.
        while (response.status === 409 && (await response.text()) !== '') response = await open()
        expect(response.status).toBe(200)
        const { events, hangUp } = openEvents(response)
        await take(events, 1)
        await hangUp()
      }
      expect((await client.delete()).status).toBe(204)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, next))
  }

  await leave(ABANDONED_STREAMS / 4)
  const before = { memory: readMemory(child.pid), open: countOpen(child.pid) }
  await leave(ABANDONED_STREAMS)
  // As many as before, except for connections in the pool of the client.
  await vi.waitFor(
    () => expect(countOpen(child.pid)).toBeLessThanOrEqual(before.open + 2 * AT_ONCE),
    { timeout: 30_000 },
  )
  const after = readMemory(child.pid)
  await listener.call('resources/subscribe', { uri: 'test://tick' })
  await listener.call('tools/call', { name: 'emit', arguments: { count: 1 } })
  expect((await take(heard, 1))[0]?.data).toContain('test://tick')
  if (before.memory === undefined || after === undefined) return
  const growth = after.now - before.memory.now
  console.log(
    `${ABANDONED_STREAMS} streams were left: the process grew by ${(growth / MEBIBYTE).toFixed(1)} MiB`,
  )
  expect(growth).toBeLessThan(24 * MEBIBYTE)
})

/** The number of open files and sockets of a process; 0 where the system does not report it. */
function countOpen(pid: number): number {
  return process.platform === 'linux' ? readdirSync(`/proc/${pid}/fd`).length : 0
}
