import type { SessionLimits } from './session-limits.ts'

/** The times that decide when a session expires. */
export interface SessionTimes {
  readonly seenAt: number
  /** Epoch milliseconds until which an open stream keeps the session connected; 0 if there was none. */
  readonly connectedUntil: number
}

/** Whether the session has an open stream. */
export function isConnected({ connectedUntil }: SessionTimes, now: number): boolean {
  return connectedUntil > now
}

export function isExpired(times: SessionTimes, now: number, limits: SessionLimits): boolean {
  if (isConnected(times, now)) return times.seenAt + limits.connectedIdleMs <= now
  return lastActivity(times) + limits.disconnectedIdleMs <= now
}

/** Whether a full store may evict this session. */
export function isEvictable(times: SessionTimes, now: number, limits: SessionLimits): boolean {
  return !isConnected(times, now) && lastActivity(times) + limits.evictableAfterMs <= now
}

/** An open stream counts as activity; else a session that only listens would expire the moment its stream drops. */
function lastActivity({ seenAt, connectedUntil }: SessionTimes): number {
  return Math.max(seenAt, connectedUntil)
}
