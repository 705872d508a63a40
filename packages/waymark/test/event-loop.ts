import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isMainThread } from 'node:worker_threads'

/** Often enough to notice, and too seldom to slow anything down. */
const LOOK_EVERY_MS = 5

/** The most processor time that one turn of the event loop takes while `work` runs, in milliseconds. */
export async function longestTurn(work: Promise<unknown>): Promise<number> {
  return (await watchTurns(work)).longestMs
}

export interface Turns {
  readonly longestMs: number
  readonly count: number
}

/**
 * The turns of the event loop while `work` runs. The longest is the one that took most processor time, which does not
 * depend on how busy the machine is; a turn that waits for something else shows in the count.
 */
export async function watchTurns(work: Promise<unknown>): Promise<Turns> {
  let longestMs = 0
  let count = 0
  let isDone = false
  const settle = (): void => {
    isDone = true
  }
  work.then(settle, settle)
  for (let last = processorTime(); !isDone; count += 1) {
    await sleep(LOOK_EVERY_MS)
    const looked = processorTime()
    longestMs = Math.max(longestMs, looked - last)
    last = looked
  }
  return { longestMs, count }
}

const TICK_MS = 10

/** Milliseconds that this thread has used the processor. Only Linux tells; elsewhere the time of day has to do. */
function processorTime(): number {
  if (process.platform !== 'linux' || !isMainThread) return performance.now()
  const stat = readFileSync(`/proc/self/task/${process.pid}/stat`, 'utf8')
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')'))
    .split(' ')
    .slice(12, 14)
    .map(Number)
  return (user + system) * TICK_MS
}
