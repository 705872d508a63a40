import type { EndedSession } from './session.ts'
import type { SessionStore } from './session-store.ts'

/** How the background clean-up reports and how often it runs. */
export interface SessionSweeperOptions {
  readonly intervalMs?: number
  readonly onEnded?: (sessions: readonly EndedSession[]) => void
  /** Called after each sweep. */
  readonly onSwept?: () => Promise<void>
  /** A sweep that failed is tried again at the next turn; nothing is lost but time. */
  readonly onError?: (error: unknown) => void
}

/** Ends idle sessions in the background without keeping the process alive; returns the way to stop. */
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
  // Outside Node a timer is a number and keeps nothing alive.
  if (hasUnref(timer)) timer.unref()
  return () => clearInterval(timer as Parameters<typeof clearInterval>[0])
}

function hasUnref(timer: unknown): timer is { unref(): void } {
  return typeof timer === 'object' && timer !== null && 'unref' in timer
}
