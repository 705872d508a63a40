import type { Store } from './store/store.ts'

/**
 * After this its maker looks again even if nothing was heard. The timer also keeps a process alive that has nothing else
 * to do than to wait: the bell itself does not.
 */
const LONGEST_MS = 60_000

export interface CommitListener extends Disposable {
  /** Resolves once there was a commit since the listener was made, after so many milliseconds at most, or when told to stop. */
  heard(within: number | undefined, stop: AbortSignal): Promise<void>
}

/** Listens from now on, so that what is committed while its maker still looks at the store is not missed. */
export function listenForCommit(store: Store): CommitListener {
  let hear = (): void => {}
  const heard = new Promise<void>((resolve) => (hear = resolve))
  const unwatch = store.watch(() => hear())
  return {
    async heard(within, stop) {
      const timer = setTimeout(
        () => hear(),
        Math.min(Math.max(1, within ?? LONGEST_MS), LONGEST_MS),
      )
      const stopped = (): void => hear()
      stop.addEventListener('abort', stopped)
      if (stop.aborted) hear()
      await heard
      stop.removeEventListener('abort', stopped)
      clearTimeout(timer)
    },
    [Symbol.dispose]: unwatch,
  }
}
