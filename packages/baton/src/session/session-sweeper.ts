import type { EndedSession } from './session.ts'
import type { SessionStore } from './session-store.ts'

/** Options of the background clean-up. */
export interface SessionSweeperOptions {
  readonly intervalMs?: number
  readonly onEnded?: (sessions: readonly EndedSession[]) => void
  /** Called after each sweep. */
  readonly onSwept?: () => Promise<void>
  /** Called if a sweep failed; the next one tries again. */
  readonly onError?: (error: unknown) => void
}

/** Expires idle sessions in the background without keeping the process alive; returns the function that stops it. */
export function startSessionSweeper(
  store: SessionStore,
  { intervalMs = 30_000, onEnded, onSwept, onError }: SessionSweeperOptions = {},
): () => void {
  const sweep = (): void => {
    store
      .expire()
      .then((ended) => {
        if (ended.length > 0) onEnded?.(ended)
        return onSwept?.()
      })
      .catch((error: unknown) => onError?.(error))
  }
  const timer: unknown = setInterval(sweep, intervalMs)
  // Outside Node a timer is a number, which has no `unref`.
  if (hasUnref(timer)) timer.unref()
  return () => clearInterval(timer as Parameters<typeof clearInterval>[0])
}

function hasUnref(timer: unknown): timer is { unref(): void } {
  return typeof timer === 'object' && timer !== null && 'unref' in timer
}
