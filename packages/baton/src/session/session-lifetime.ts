import type { SessionLimits } from './session-limits.ts'

/** The two times that decide how long a session lives. */
export interface SignsOfLife {
  readonly seenAt: number
  /** Until when an open stream vouches for the session; 0 when none ever did. */
  readonly connectedUntil: number
}

/** Whether an open stream vouches for the session. */
export function isConnected({ connectedUntil }: SignsOfLife, now: number): boolean {
  return connectedUntil > now
}

export function isExpired(signs: SignsOfLife, now: number, limits: SessionLimits): boolean {
  if (isConnected(signs, now)) return signs.seenAt + limits.connectedIdleMs <= now
  return lastSign(signs) + limits.disconnectedIdleMs <= now
}

/** Whether a full store may end this session to make room for another. */
export function isEvictable(signs: SignsOfLife, now: number, limits: SessionLimits): boolean {
  return !isConnected(signs, now) && lastSign(signs) + limits.evictableAfterMs <= now
}

/** A stream that was open counts as a sign of life, else a quiet listener would be gone the moment it drops. */
function lastSign({ seenAt, connectedUntil }: SignsOfLife): number {
  return Math.max(seenAt, connectedUntil)
}
