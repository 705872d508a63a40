import { setTimeout as sleep } from 'node:timers/promises'

/** Often enough to notice, and too seldom to slow anything down. */
const LOOK_EVERY_MS = 5

/** The largest time between two turns of the event loop while `work` runs, in milliseconds. */
export async function longestTurn(work: Promise<unknown>): Promise<number> {
  let longest = 0
  let isDone = false
  const settle = (): void => {
    isDone = true
  }
  work.then(settle, settle)
  for (let last = performance.now(); !isDone;) {
    await sleep(LOOK_EVERY_MS)
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  return longest
}
