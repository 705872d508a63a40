import type { Store } from '../../core/store/store.ts'
import { collectCode, keepHeapSmall, optimiseEarly, optimiseLate } from '../../support/heap.ts'

const CHECK_MS = 15_000

/** CPU milliseconds between two checks: less is a quiet time, more leaves garbage behind. */
const QUIET_MS = 50
const BUSY_MS = 200

/**
 * To optimise what runs takes as long as to run it for so many calls without: 450 ms against a quarter of a millisecond
 * for each. What is known of the types by then also makes better code.
 */
const MANY_CALLS = 1800

interface SpareMemory extends Disposable {
  /** A tool is called. */
  called(): void
}

/** Keeps the memory of a server small: its heap while it works, and its caches while nothing asks for them. */
export function spareMemory(stores: () => Promise<readonly Store[]>): SpareMemory {
  keepHeapSmall()
  optimiseLate()
  /** Since the last quiet time. */
  let calls = 0
  let since = process.cpuUsage()
  let used = 0
  const check = async (): Promise<void> => {
    const { user, system } = process.cpuUsage(since)
    const lately = (user + system) / 1000
    used += lately
    if (lately < QUIET_MS && used >= BUSY_MS) {
      for (const store of await stores()) store.releaseMemory()
      optimiseLate()
      collectCode()
      used = 0
      calls = 0
    }
    since = process.cpuUsage()
  }
  const timer = setInterval(() => void check().catch(() => undefined), CHECK_MS).unref()
  return {
    called() {
      calls += 1
      if (calls === MANY_CALLS) optimiseEarly()
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}
