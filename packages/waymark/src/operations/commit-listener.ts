import type { Store } from '../store/store.ts'

export interface CommitListener extends Disposable {
  /** Resolves once there was a commit since the listener was made, after so many milliseconds, or when told to stop. */
  heard(within: number | undefined, stop: AbortSignal): Promise<void>
}

/** Listens from now on, so that what is committed while its maker still looks at the store is not missed. */
export function listenForCommit(store: Store): CommitListener {
  let hear = (): void => {}
  const heard = new Promise<void>((resolve) => (hear = resolve))
  const unwatch = store.watch(() => hear())
  return {
    async heard(within, stop) {
      const timer = within === undefined ? undefined : setTimeout(() => hear(), Math.max(1, within))
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
