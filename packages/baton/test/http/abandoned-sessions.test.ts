import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isFullLevel } from '../level.ts'
import { createFolder } from '../session/stores.ts'
import { readMemory } from '../support/memory.ts'
import { LegacyClient } from './http-client.ts'
import { startSessionServer } from './session-server.ts'

const ABANDONED = isFullLevel ? 100_000 : 2_000
const PLACES = isFullLevel ? 10_000 : 1_500
const WARM_UP = 200
const AT_ONCE = 8
const MEBIBYTE = 1024 * 1024

it('sessions that are opened and left cost little, are turned away at the limit, and harm no other', async () => {
  await using folder = await createFolder()
  const { child, url } = await startSessionServer(join(folder.path, 'sessions.db'), {
    maxSessions: PLACES,
    // Nobody gives way here, so that the limit is reached; that the idle ones do is tried with a clock of its own.
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
  expect(counts).toEqual({ opened: PLACES - 1, refused: WARM_UP + ABANDONED - PLACES + 1 })
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
