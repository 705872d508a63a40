/** How long sessions live and how much they may hold. */
export interface SessionLimits {
  /** A session with an open stream ends after this long without a message. */
  readonly connectedIdleMs: number
  /** A session without an open stream ends this long after its last sign of life. */
  readonly disconnectedIdleMs: number
  /** How long an open stream is believed in without a further sign; a killed process cannot say that it left. */
  readonly connectionLeaseMs: number
  readonly maxSessions: number
  /** A full store makes room by ending the longest idle session, but never one seen more recently than this. */
  readonly evictableAfterMs: number
  readonly eventsPerStream: number
  readonly bytesPerStream: number
  /** Beyond this many streams, the oldest closed ones of the session are dropped. */
  readonly streamsPerSession: number
  /** Beyond this many bytes of events over all sessions, those of the longest idle sessions are dropped. */
  readonly bytesTotal: number
}

const MINUTE = 60_000
const MEBIBYTE = 1024 * 1024

/** The limits that apply where an application names none. */
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

/** What both stores accept. */
export interface SessionStoreOptions {
  readonly limits?: Partial<SessionLimits>
  /** Epoch milliseconds; tests pass their own clock. */
  readonly now?: () => number
}
