import type { ReadStore } from '../store.ts'

/**
 * Poll interval for missed signals. The timer also keeps a process alive that only waits; the file watcher is
 * unreferenced.
 */
const LONGEST_MS = 60_000

export interface CommitListener extends Disposable {
  /** Resolves after a commit since the listener was created, after `within` milliseconds, or on abort. */
  nextCommit(within: number | undefined, stop: AbortSignal): Promise<void>
}

/** Listens from now on, so that a commit during the caller's read of the store is not missed. */
export function listenForCommit(store: ReadStore): CommitListener {
  let resolveWait = (): void => {}
  const committed = new Promise<void>((resolve) => (resolveWait = resolve))
  const unwatch = store.watch(() => resolveWait())
  return {
    async nextCommit(within, stop) {
      const timer = setTimeout(
        () => resolveWait(),
        Math.min(Math.max(1, within ?? LONGEST_MS), LONGEST_MS),
      )
      const stopped = (): void => resolveWait()
      stop.addEventListener('abort', stopped)
      if (stop.aborted) resolveWait()
      await committed
      stop.removeEventListener('abort', stopped)
      clearTimeout(timer)
    },
    [Symbol.dispose]: unwatch,
  }
}
