/** Lifetime and capacity of sessions. */
export interface SessionLimits {
  /** A session with an open stream expires this long after its last message. */
  readonly connectedIdleMs: number
  /** A session without an open stream expires this long after its last activity. */
  readonly disconnectedIdleMs: number
  /** Lease of an open stream, which is renewed while it is open; a killed process cannot report that it closed. */
  readonly connectionLeaseMs: number
  readonly maxSessions: number
  /** A full store evicts the longest idle session, but none that was active more recently than this. */
  readonly evictableAfterMs: number
  readonly eventsPerStream: number
  readonly bytesPerStream: number
  /** With more streams than this, the oldest closed ones of the session are dropped. */
  readonly streamsPerSession: number
  /** With more bytes of events than this in all sessions, those of the longest idle sessions are dropped. */
  readonly bytesTotal: number
}

const MINUTE = 60_000
const MEBIBYTE = 1024 * 1024

/** The default limits. */
export const DEFAULT_SESSION_LIMITS: SessionLimits = {
  connectedIdleMs: 30 * MINUTE,
  disconnectedIdleMs: 5 * MINUTE,
  connectionLeaseMs: 45_000,
  maxSessions: 10_000,
  evictableAfterMs: MINUTE,
  eventsPerStream: 1_024,
  bytesPerStream: MEBIBYTE,
  streamsPerSession: 32,
  bytesTotal: 64 * MEBIBYTE,
}

/** Options of both session stores. */
export interface SessionStoreOptions {
  readonly limits?: Partial<SessionLimits>
  /** Epoch milliseconds; tests pass their own clock. */
  readonly now?: () => number
}
