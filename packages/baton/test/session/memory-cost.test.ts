import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { MemorySessionStore } from '../../src/session/memory/session-store.ts'
import { ALICE, STATE } from './stores.ts'

const SESSIONS = 20_000

it('an idle session costs less than 4 KB', async () => {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect !== 'function') throw new Error('no gc')
  const measure = (): number => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const store = new MemorySessionStore({ limits: { maxSessions: SESSIONS } })
  const before = measure()
  for (let count = 0; count < SESSIONS; count += 1)
    await store.create({ owner: ALICE, state: structuredClone(STATE) })
  const bytesEach = (measure() - before) / SESSIONS
  expect(bytesEach).toBeLessThan(4_096)
  await store[Symbol.asyncDispose]()
})
