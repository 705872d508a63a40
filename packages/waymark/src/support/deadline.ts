/** A signal with a time limit, and the end of its timer. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal
}

/** What a signal is aborted with when its time is over. */
export function timeIsUp(): DOMException {
  return new DOMException('the time is over', 'TimeoutError')
}

/** Whether the signal was aborted by a timeout and not by a cancellation. */
export function isTimeUp({ reason }: AbortSignal): boolean {
  return reason instanceof DOMException && reason.name === 'TimeoutError'
}

/**
 * Aborts with any of the signals, or when the time is over. In place of `AbortSignal.any` with `AbortSignal.timeout`:
 * there nothing holds on to the timeout, so that Node 20 may collect it before it fires.
 */
export function withDeadline(milliseconds: number, ...signals: readonly AbortSignal[]): Deadline {
  const controller = new AbortController()
  const timer = setTimeout(() => {
    controller.abort(timeIsUp())
  }, milliseconds)
  const follow = ({ target }: Event): void => controller.abort((target as AbortSignal).reason)
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason)
    else signal.addEventListener('abort', follow, { once: true })
  }
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', follow)
    },
  }
}
