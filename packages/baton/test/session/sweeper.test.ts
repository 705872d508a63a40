import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { MemorySessionStore } from '../../src/session/memory/session-store.ts'
import type { EndedSession } from '../../src/session/session.ts'
import { startSessionSweeper } from '../../src/session/session-sweeper.ts'
import { ALICE, STATE } from './stores.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

it('idle sessions end in the background and are reported [sweeper-idle-sessions]', async () => {
  await using store = new MemorySessionStore()
  const { id } = await store.create({ owner: ALICE, state: STATE })
  const ended: EndedSession[] = []
  const stop = startSessionSweeper(store, { onEnded: (sessions) => ended.push(...sessions) })
  await vi.advanceTimersByTimeAsync(4 * 60_000)
  expect(ended).toEqual([])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(ended).toMatchObject([{ id, reason: 'idle' }])
  stop()
  expect(vi.getTimerCount()).toBe(0)
})

it('a failed sweep is reported and retried', async () => {
  await using store = new MemorySessionStore()
  let sweeps = 0
  store.expire = () => {
    sweeps += 1
    return Promise.reject(new Error('disk full'))
  }
  const errors: unknown[] = []
  const stop = startSessionSweeper(store, {
    intervalMs: 1_000,
    onError: (error) => errors.push(error),
  })
  await vi.advanceTimersByTimeAsync(2_000)
  expect(sweeps).toBe(2)
  expect(errors).toHaveLength(2)
  stop()
})

it('the sweeper does not keep the process alive', () => {
  const store = new MemorySessionStore()
  vi.useRealTimers()
  const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const stop = startSessionSweeper(store)
  const after = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  expect(after).toBe(before)
  stop()
})
