/** The negotiated state of a legacy session: all that a restarted process needs to continue it. */
export interface SessionState {
  readonly protocolVersion: string
  readonly clientInfo?: Readonly<Record<string, unknown>>
  readonly clientCapabilities: Readonly<Record<string, unknown>>
  /** Whether the client has sent `notifications/initialized`. */
  readonly initialized: boolean
  readonly logLevel?: string
  /** URIs of the subscribed resources. */
  readonly subscriptions: readonly string[]
}

/** The session that a call belongs to. */
export interface SessionIdentity {
  readonly id: string
  /** Milliseconds since 1970; absent before the session has begun. */
  readonly createdAt?: number
}

/** An immutable snapshot of a live session. */
export interface Session {
  readonly id: string
  /** Id of the principal that opened the session; it is invisible to others. */
  readonly owner: string
  readonly createdAt: number
  /** Time of the last message. */
  readonly seenAt: number
  /** Id of the stream for messages that belong to no request; every session has it. */
  readonly standaloneStream: string
  readonly state: SessionState
}

/** Owner and initial state of a new session. */
export interface NewSession {
  readonly owner: string
  readonly state: SessionState
}

/** Activity of a session: a message, a stream that was opened here or still is, or the end of its last stream. */
export type SessionActivity = 'message' | 'opened' | 'connected' | 'disconnected'

/** A session that the store ended, and why. */
export interface EndedSession {
  readonly id: string
  readonly createdAt: number
  readonly reason: 'idle' | 'evicted'
}
