import type { EventLog } from './event-log.ts'
import type { RecordStore } from './record-store.ts'
import type { EndedSession, NewSession, Session, SessionActivity, SessionState } from './session.ts'

/** Stores sessions, their event streams and records such as tasks; pass a durable one to survive restarts. */
export interface SessionStore extends AsyncDisposable {
  /** Creates a session with a random id; throws `SessionCapacityError` if the store is full and no session is evictable. */
  create(session: NewSession): Promise<Session>
  /** A live session; `undefined` for an unknown or expired id, and for a session of another owner. */
  get(id: string, owner: string): Promise<Session | undefined>
  /** Updates the state atomically; `undefined` if there is no such session. */
  update(
    id: string,
    owner: string,
    change: (state: SessionState) => SessionState,
  ): Promise<Session | undefined>
  /** Records activity. Cheap enough for every message; a crash may lose the last few seconds. */
  touch(id: string, activity: SessionActivity): void
  /** Deletes a session and its streams; false if there is no such session. */
  delete(id: string, owner: string): Promise<boolean>
  /** Deletes expired sessions, streams and records; returns the sessions that ended since the last call. */
  expire(): Promise<readonly EndedSession[]>
  /** All live sessions, of all owners. */
  list(): Promise<readonly Session[]>
  /** The number of live sessions, of all owners. */
  stats(): Promise<SessionStats>
  /** The streams of all sessions. */
  readonly events: EventLog
  /** Records that belong to no session, such as tasks. */
  readonly records: RecordStore
}

/** The number of sessions in a store. */
export interface SessionStats {
  readonly total: number
  /** Sessions with an open stream. */
  readonly connected: number
}

/** Thrown if the store is full and no session is idle enough to be evicted. */
export class SessionCapacityError extends Error {
  override name = 'SessionCapacityError'
  readonly retryAfterMs: number

  constructor(retryAfterMs: number) {
    super('too many sessions are open')
    this.retryAfterMs = retryAfterMs
  }
}
