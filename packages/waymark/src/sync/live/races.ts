import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../core/error.ts'

/** Another clone replaced the register between the read and the write of an attempt. */
export const LOST = Symbol('lost')

/** How long a call competes with other clones before it gives up. */
const LONGEST_MS = 30_000
/**
 * How long to wait after each lost race, at most, as a multiple of what the attempt took. The first push always wins, so
 * of many attempts at once all but one are wasted: with waits this long few are at once, and as many claims are granted
 * with half of the calls. Those that have lost most go first again.
 */
const WAITS = [2, 6, 10, 14, 10, 6]

/** Repeats an attempt while other clones are faster. */
export async function retryLostRaces<T>(
  { name, signal }: { readonly name: string; readonly signal: AbortSignal },
  attempt: (tries: number) => Promise<T | typeof LOST>,
): Promise<T> {
  const start = performance.now()
  for (let tries = 0; performance.now() - start < LONGEST_MS; tries += 1) {
    const began = performance.now()
    const outcome = await attempt(tries)
    if (outcome !== LOST) return outcome
    const took = performance.now() - began
    await sleep(Math.random() * took * (WAITS[tries % WAITS.length] ?? 1), undefined, { signal })
  }
  throw new Failure('busy', `many clones are claiming tasks at ${name}; try again`, {
    details: { reason: 'push_rejected', remote: name },
  })
}
