import { type Connection, retryWhileBusy, type SqliteModule } from '@waymark/sqlite'
import { STANDALONE_STREAM, toStreamId } from '../event-id.ts'
import { createEventTag, createSessionId } from '../random-id.ts'
import type {
  EndedSession,
  NewSession,
  Session,
  SessionActivity,
  SessionState,
} from '../session.ts'
import { isExpired } from '../session-lifetime.ts'
import {
  DEFAULT_SESSION_LIMITS,
  type SessionLimits,
  type SessionStoreOptions,
} from '../session-limits.ts'
import type { SessionStats, SessionStore } from '../session-store.ts'
import { DeferredWrites } from './deferred-writes.ts'
import { SqliteEventLog } from './event-log.ts'
import { GroupCommit } from './group-commit.ts'
import { Housekeeping } from './housekeeping.ts'
import { SqliteRecordStore } from './record-store.ts'
import { openSessionFile } from './session-file.ts'
import { WriterLease } from './writer-lease.ts'

/** Options of a session store in SQLite. */
export interface SqliteSessionStoreOptions extends SessionStoreOptions {
  readonly path: string
  /** A module with the API of `node:sqlite`; chosen automatically when absent. */
  readonly sqlite?: SqliteModule
}

/** Opens a durable session store in a file, which several processes can share. */
export async function openSessionStore({
  path,
  sqlite,
  limits,
  now = Date.now,
}: SqliteSessionStoreOptions): Promise<SessionStore> {
  const connection = await openSessionFile(path, sqlite)
  return new SqliteSessionStore(connection, { ...DEFAULT_SESSION_LIMITS, ...limits }, now)
}

const SESSION_COLUMNS = 'id, owner, event_tag, created_at, seen_at, connected_until, state'

interface SessionRow {
  readonly id: string
  readonly owner: string
  readonly event_tag: string
  readonly created_at: number
  readonly seen_at: number
  readonly connected_until: number
  readonly state: string
}

class SqliteSessionStore implements SessionStore {
  readonly events: SqliteEventLog
  readonly records: SqliteRecordStore
  readonly #connection: Connection
  readonly #commits: GroupCommit
  readonly #deferred: DeferredWrites
  readonly #housekeeping: Housekeeping
  readonly #lease: WriterLease
  readonly #limits: SessionLimits
  readonly #now: () => number
  #ended: EndedSession[] = []

  constructor(connection: Connection, limits: SessionLimits, now: () => number) {
    this.#connection = connection
    this.#limits = limits
    this.#now = now
    const commits = new GroupCommit(connection)
    const deferred = new DeferredWrites(connection, commits)
    this.#commits = commits
    this.#deferred = deferred
    this.#housekeeping = new Housekeeping(connection, limits)
    this.#lease = new WriterLease(connection, commits, now)
    this.events = new SqliteEventLog({
      connection,
      commits,
      deferred,
      lease: this.#lease,
      limits,
      now,
    })
    this.records = new SqliteRecordStore(connection, commits, now)
  }

  async create({ owner, state }: NewSession): Promise<Session> {
    const now = this.#now()
    const { session, evicted } = await this.#commits.write(() => {
      this.#deferred.flush()
      const evictedSession = this.#housekeeping.makeRoom(now)
      return { session: this.#insert(owner, state, now), evicted: evictedSession }
    })
    if (evicted !== undefined) {
      this.#ended.push(evicted)
      this.events.sessionsEnded()
    }
    return session
  }

  get(id: string, owner: string): Promise<Session | undefined> {
    return retryWhileBusy(() => this.#find(id, owner))
  }

  update(
    id: string,
    owner: string,
    change: (state: SessionState) => SessionState,
  ): Promise<Session | undefined> {
    return this.#commits.write(() => {
      const session = this.#find(id, owner)
      if (session === undefined) return undefined
      const state = change(session.state)
      this.#connection.run('UPDATE session SET state = ? WHERE id = ?', JSON.stringify(state), id)
      return { ...session, state }
    })
  }

  touch(id: string, activity: SessionActivity): void {
    const now = this.#now()
    switch (activity) {
      case 'message':
        return this.#deferred.touch(id, { seenAt: now })
      case 'opened':
      case 'connected':
        return this.#deferred.touch(id, { connectedUntil: now + this.#limits.connectionLeaseMs })
      case 'disconnected':
        return this.#deferred.touch(id, { connectedUntil: now })
    }
  }

  async delete(id: string, owner: string): Promise<boolean> {
    const deleted = await this.#commits.write(() => {
      if (this.#find(id, owner) === undefined) return false
      return this.#connection.run('DELETE FROM session WHERE id = ?', id) > 0
    })
    if (deleted) this.events.sessionsEnded()
    return deleted
  }

  async expire(): Promise<readonly EndedSession[]> {
    const now = this.#now()
    const expired = await this.#commits.write(() => {
      this.#deferred.flush()
      return this.#housekeeping.sweep(now)
    })
    if (expired.length > 0) this.events.sessionsEnded()
    const ended = [...this.#ended, ...expired]
    this.#ended = []
    return ended
  }

  list(): Promise<readonly Session[]> {
    return retryWhileBusy(() =>
      this.#connection
        .all<SessionRow>(`SELECT ${SESSION_COLUMNS} FROM session ORDER BY created_at, id`)
        .map((row) => this.#toLiveSession(row))
        .filter((session) => session !== undefined),
    )
  }

  stats(): Promise<SessionStats> {
    const now = this.#now()
    return this.#commits.write(() => {
      this.#deferred.flush()
      return this.#housekeeping.count(now)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.events.stopPolling()
    try {
      await this.#commits.write(() => {
        this.#deferred.flush()
        this.#lease.release()
      })
      await this.#commits.settled()
    } finally {
      this.#deferred.stop()
      this.#lease.stop()
      this.#connection.close()
    }
  }

  #find(id: string, owner: string): Session | undefined {
    const row = this.#connection.get<SessionRow>(
      `SELECT ${SESSION_COLUMNS} FROM session WHERE id = ? AND owner = ?`,
      id,
      owner,
    )
    return row && this.#toLiveSession(row)
  }

  #toLiveSession(row: SessionRow): Session | undefined {
    const { id, owner } = row
    const stored = { seenAt: row.seen_at, connectedUntil: row.connected_until }
    const times = this.#deferred.withTouch(id, stored)
    if (isExpired(times, this.#now(), this.#limits)) return undefined
    return {
      id,
      owner,
      createdAt: row.created_at,
      seenAt: times.seenAt,
      standaloneStream: toStreamId(row.event_tag, STANDALONE_STREAM),
      // Only this class writes the column, from a value of the same type.
      state: JSON.parse(row.state) as SessionState,
    }
  }

  #insert(owner: string, state: SessionState, now: number): Session {
    const id = createSessionId()
    const eventTag = createEventTag()
    this.#connection.run(
      `INSERT INTO session
         (id, owner, event_tag, created_at, seen_at, connected_until, last_stream, state)
         VALUES (?, ?, ?, ?, ?, 0, ?, ?)`,
      id,
      owner,
      eventTag,
      now,
      now,
      STANDALONE_STREAM,
      JSON.stringify(state),
    )
    this.#connection.run(
      'INSERT INTO stream (session_id, number) VALUES (?, ?)',
      id,
      STANDALONE_STREAM,
    )
    const standaloneStream = toStreamId(eventTag, STANDALONE_STREAM)
    return { id, owner, createdAt: now, seenAt: now, standaloneStream, state }
  }
}
