/** What a client of the initialize era and the server agreed on: all a restarted process needs to go on. */
export interface SessionState {
  readonly protocolVersion: string
  readonly clientInfo?: Readonly<Record<string, unknown>>
  readonly clientCapabilities: Readonly<Record<string, unknown>>
  /** True once the client has sent `notifications/initialized`. */
  readonly initialized: boolean
  readonly logLevel?: string
  /** Resource URIs the client asked to be told about. */
  readonly subscriptions: readonly string[]
}

/** A live session as read from its store; a snapshot that does not change under the reader. */
export interface Session {
  readonly id: string
  /** Key of the principal that opened it; nobody else can see the session. */
  readonly owner: string
  readonly createdAt: number
  /** When the last message arrived. */
  readonly seenAt: number
  /** Stream for messages that answer no request; every session has it from the start. */
  readonly standaloneStream: string
  readonly state: SessionState
}

/** What a new session starts with. */
export interface NewSession {
  readonly owner: string
  readonly state: SessionState
}

/** Something that proves a session is still wanted, or that its last stream went away. */
export type SessionActivity = 'message' | 'connected' | 'disconnected'

/** Why a session ended without its client asking for it. */
export interface EndedSession {
  readonly id: string
  readonly createdAt: number
  readonly reason: 'idle' | 'evicted'
}
