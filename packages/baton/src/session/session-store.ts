import type { EventLog } from './event-log.ts'
import type { RecordStore } from './record-store.ts'
import type { EndedSession, NewSession, Session, SessionActivity, SessionState } from './session.ts'

/** Where sessions, their event streams and durable handles live; pass a durable one to survive restarts. */
export interface SessionStore extends AsyncDisposable {
  /** Opens a session under a fresh random id; throws `SessionCapacityError` when nothing can make room. */
  create(session: NewSession): Promise<Session>
  /** Finds a live session; an unknown, expired or foreign id gives `undefined`, indistinguishably. */
  get(id: string, owner: string): Promise<Session | undefined>
  /** Replaces the state by what `change` makes of it, atomically; `undefined` when there is no such session. */
  update(
    id: string,
    owner: string,
    change: (state: SessionState) => SessionState,
  ): Promise<Session | undefined>
  /** Notes a sign of life; cheap enough for every message, so a crash may forget the last few seconds. */
  touch(id: string, activity: SessionActivity): void
  /** Ends a session and forgets its streams; false when there is no such session. */
  delete(id: string, owner: string): Promise<boolean>
  /** Removes whatever has outlived its time and says which sessions ended since the last call. */
  expire(): Promise<readonly EndedSession[]>
  /** Every live session, whoever it belongs to. */
  list(): Promise<readonly Session[]>
  /** How many sessions there are now, whoever they belong to. */
  stats(): Promise<SessionStats>
  /** The streams of all sessions. */
  readonly events: EventLog
  /** Durable values that belong to no session, such as tasks. */
  readonly records: RecordStore
}

/** How many sessions a store holds. */
export interface SessionStats {
  readonly total: number
  /** Those with an open stream. */
  readonly connected: number
}

/** Thrown when the store is full and no session is idle enough to make room. */
export class SessionCapacityError extends Error {
  override name = 'SessionCapacityError'
  readonly retryAfterMs: number

  constructor(retryAfterMs: number) {
    super('too many sessions are open')
    this.retryAfterMs = retryAfterMs
  }
}
