import { setTimeout as sleep } from 'node:timers/promises'
import { isBusy } from './failures.ts'

/** Nobody is away for so long that others take it for dead. */
const MOST_AHEAD = 12

/**
 * A short wait of random length between two tries to get a lock. SQLite's own busy handler would block the event
 * loop, and it sleeps longer with every try, so that whoever waited longest is the last to notice a free lock. With
 * others `ahead` there is time: each of their turns takes a millisecond at least.
 */
export async function pause(ahead = 0): Promise<void> {
  await sleep(0.5 + 2 * Math.random() + Math.min(ahead, MOST_AHEAD))
}

/** Tries again while the store is busy, until `limit` milliseconds have passed. */
export async function patiently<T>(attempt: () => T, limit: number): Promise<T> {
  const deadline = performance.now() + limit
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error
    }
    await pause()
  }
}
