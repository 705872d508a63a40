import { setImmediate as nextTurn } from 'node:timers/promises'

/** Lets others have their turn in the middle of long work, and ends it if nobody waits for it any longer. */
export async function yieldToEventLoop(signal: AbortSignal): Promise<void> {
  await nextTurn()
  signal.throwIfAborted()
}

/** Does work that offers to pause now and then. */
export async function runInSlices<T>(work: Iterator<void, T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
    await yieldToEventLoop(signal)
  }
}
