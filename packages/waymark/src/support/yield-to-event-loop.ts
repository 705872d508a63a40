import { setImmediate as nextTurn } from 'node:timers/promises'

/** Yields to the event loop during long work; throws if the call was cancelled. */
export async function yieldToEventLoop(signal: AbortSignal): Promise<void> {
  await nextTurn()
  signal.throwIfAborted()
}

/** Runs a generator and yields to the event loop at each of its steps. */
export async function runInSlices<T>(work: Iterator<void, T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    const step = work.next()
    if (step.done === true) return step.value
    await yieldToEventLoop(signal)
  }
}
