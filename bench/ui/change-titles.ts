import { setTimeout as pause } from 'node:timers/promises'
import { ask, type LineServer } from '../everyday/server.ts'

/** A queue that only grows would measure itself. */
const MOST_AT_ONCE = 32

interface Changes {
  readonly tasks: readonly number[]
  /** Changes a second. */
  readonly rate: number
  readonly milliseconds: number
}

/** Changes titles of these tasks in turn, by the clock; answers how many changes were acknowledged. */
export async function changeTitles(
  agent: LineServer,
  { tasks, rate, milliseconds }: Changes,
): Promise<number> {
  const running = new Set<Promise<unknown>>()
  const started = performance.now()
  let count = 0
  for (let at = 0; performance.now() < started + milliseconds; at += 1) {
    const title = `Task at ${Date.now()}`
    const call = ask(agent, ['task_update', { ids: [String(tasks[at % tasks.length])], title }])
      .then(() => (count += 1))
      .finally(() => running.delete(call))
    running.add(call)
    if (running.size > MOST_AT_ONCE) await Promise.race(running)
    // By the clock, so that a late turn does not lower the rate.
    await pause(Math.max(0, started + (at * 1000) / rate - performance.now()))
  }
  await Promise.all(running)
  return count
}
