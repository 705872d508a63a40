import { setTimeout as sleep } from 'node:timers/promises'
import { SqliteError } from './sqlite-error.ts'

const BUSY_LIMIT_MS = 10_000

/** Retries a step while another connection holds a lock, for at most `limitMs`; does not block the event loop. */
export async function retryWhileBusy<T>(
  step: () => T,
  limitMs: number = BUSY_LIMIT_MS,
): Promise<T> {
  // Asked for the time only when it has to wait: Node loads the clock's module at its first use.
  let deadline: number | undefined
  for (;;) {
    try {
      return step()
    } catch (error) {
      if (!isBusy(error)) throw error
      deadline ??= performance.now() + limitMs
      if (performance.now() >= deadline) throw error
    }
    await pauseBeforeRetry()
  }
}

/**
 * A short pause of random length between two attempts to get a lock. SQLite's busy handler sleeps longer with every
 * attempt, so that the process that waited longest would be the last to notice a free lock.
 */
export async function pauseBeforeRetry(extraMs = 0): Promise<void> {
  await sleep(0.5 + 2 * Math.random() + extraMs)
}

export function isBusy(error: unknown): boolean {
  return error instanceof SqliteError && error.code === 'busy'
}
