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
import { DEFAULT_SESSION_LIMITS, type SessionLimits } from '../session-limits.ts'
import { SessionCapacityError, type SessionStats, type SessionStore } from '../session-store.ts'
import { DeferredWrites } from './deferred-writes.ts'
import { PostgresEventLog } from './event-log.ts'
import { Housekeeping } from './housekeeping.ts'
import type { PostgresSessionStoreOptions } from './open-session-store.ts'
import { OrderedWrites } from './ordered-writes.ts'
import { PostgresRecordStore } from './record-store.ts'
import { CLOCK, type SessionTables, toTime } from './session-database.ts'
import { StreamWakeUps } from './stream-wake-ups.ts'
import { WriterLease } from './writer-lease.ts'

interface SessionRow {
  readonly id: string
  readonly owner: string
  readonly event_tag: string
  readonly created_at: number
  readonly seen_at: number
  readonly connected_until: number
  readonly state: string
  /** The current time of the database. */
  readonly now: number
  readonly has_notifier: boolean
}

/** What `createSessionId` makes; other texts need not be asked for. */
const SESSION_ID = /^[\w-]{43}$/

/** Sessions in a database that several processes share, any of which may serve the next message of a session. */
export class PostgresSessionStore implements SessionStore {
  readonly events: PostgresEventLog
  readonly records: PostgresRecordStore
  readonly #tables: SessionTables
  readonly #limits: SessionLimits
  readonly #writes = new OrderedWrites()
  readonly #deferred: DeferredWrites
  readonly #housekeeping: Housekeeping
  readonly #lease: WriterLease
  readonly #wakeUps: StreamWakeUps
  #ended: EndedSession[] = []

  constructor({ database, schema, endpoint, now, limits }: PostgresSessionStoreOptions) {
    const tables = { database, schema, endpoint, now }
    this.#tables = tables
    this.#limits = { ...DEFAULT_SESSION_LIMITS, ...limits }
    this.#deferred = new DeferredWrites(tables, this.#limits.connectionLeaseMs)
    this.#housekeeping = new Housekeeping(tables, this.#limits)
    this.#lease = new WriterLease(tables)
    this.#wakeUps = new StreamWakeUps(tables)
    this.events = new PostgresEventLog({
      tables,
      writes: this.#writes,
      deferred: this.#deferred,
      lease: this.#lease,
      wakeUps: this.#wakeUps,
      limits: this.#limits,
    })
    this.records = new PostgresRecordStore(tables)
  }

  async create({ owner, state }: NewSession): Promise<Session> {
    await this.#lease.register()
    await this.#deferred.flush()
    const { database, schema, endpoint } = this.#tables
    const { maxSessions, evictableAfterMs } = this.#limits
    const [id, eventTag] = [createSessionId(), createEventTag()]
    const values = [toTime(this.#tables), endpoint, maxSessions, evictableAfterMs, id, owner]
    const [row] = await database.query<CreatedRow>(toCreateStatement(schema), [
      ...values,
      eventTag,
      JSON.stringify(state),
      this.#lease.id,
    ])
    if (row === undefined) throw new SessionCapacityError(evictableAfterMs)
    const { created_at: createdAt, evicted_id: evictedId, evicted_at: evictedAt } = row
    if (evictedId !== null) {
      this.#ended.push({ id: evictedId, createdAt: evictedAt ?? 0, reason: 'evicted' })
      this.#wakeUps.sessionsEnded()
    }
    const standaloneStream = toStreamId(eventTag, STANDALONE_STREAM)
    return { id, owner, createdAt, seenAt: createdAt, standaloneStream, state }
  }

  async get(id: string, owner: string): Promise<Session | undefined> {
    const row = await this.#find(id, owner)
    const session = row && this.#toLiveSession(row)
    // The process that notified the session has died; the caller is about to adopt the current state.
    if (session !== undefined && !row?.has_notifier) this.#takeOver(id)
    return session
  }

  update(
    id: string,
    owner: string,
    change: (state: SessionState) => SessionState,
  ): Promise<Session | undefined> {
    return this.#writes.run(id, async () => {
      await this.#lease.register()
      for (;;) {
        const row = await this.#find(id, owner)
        const session = row && this.#toLiveSession(row)
        if (row === undefined || session === undefined) return undefined
        const state = change(session.state)
        if (await this.#replaceState(id, row.state, JSON.stringify(state)))
          return { ...session, state }
      }
    })
  }

  touch(id: string, activity: SessionActivity): void {
    this.#deferred.touch(id, activity)
    if (activity === 'opened') this.#takeOver(id)
  }

  async delete(id: string, owner: string): Promise<boolean> {
    if ((await this.get(id, owner)) === undefined) return false
    const { database, schema, endpoint } = this.#tables
    const deleted = await this.#writes.run(id, () =>
      database.query(
        `DELETE FROM ${schema}.mcp_session WHERE id = $1 AND endpoint = $2 RETURNING id`,
        [id, endpoint],
      ),
    )
    if (deleted.length === 0) return false
    this.#wakeUps.sessionsEnded()
    return true
  }

  async expire(): Promise<readonly EndedSession[]> {
    await this.#deferred.flush()
    const expired = await this.#housekeeping.sweep()
    if (expired.length > 0) this.#wakeUps.sessionsEnded()
    const ended = [...this.#ended, ...expired]
    this.#ended = []
    return ended
  }

  async list(): Promise<readonly Session[]> {
    const rows = await this.#select('', [])
    return rows.flatMap((row) => this.#toLiveSession(row) ?? [])
  }

  async stats(): Promise<SessionStats> {
    await this.#deferred.flush()
    return await this.#housekeeping.count()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#wakeUps.stop()
    this.#deferred.stop()
    await this.#writes.settled()
    // The database may be away: then the lease expires by itself.
    await this.#deferred.flush().catch(() => {})
    await this.#lease.release().catch(() => {})
  }

  async #find(id: string, owner: string): Promise<SessionRow | undefined> {
    if (!SESSION_ID.test(id)) return undefined
    const [row] = await this.#select('AND s.id = $3 AND s.owner = $4', [id, owner])
    return row
  }

  async #select(condition: string, values: readonly unknown[]): Promise<readonly SessionRow[]> {
    const { database, schema, endpoint } = this.#tables
    return await database.query<SessionRow>(
      `WITH ${CLOCK} SELECT s.id, owner, event_tag, created_at, seen_at, connected_until, state, now,
           EXISTS (SELECT FROM ${schema}.mcp_writer AS w
             WHERE w.id = s.notifier AND w.alive_until > now) AS has_notifier
         FROM ${schema}.mcp_session AS s, clock WHERE endpoint = $2 ${condition}
         ORDER BY created_at, s.id`,
      [toTime(this.#tables), endpoint, ...values],
    )
  }

  #toLiveSession(row: SessionRow): Session | undefined {
    const { id, owner, now } = row
    const stored = { seenAt: row.seen_at, connectedUntil: row.connected_until }
    const times = this.#deferred.withTouch(id, stored, now)
    if (isExpired(times, now, this.#limits)) return undefined
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

  /** Whether the state was still that which was read. */
  async #replaceState(id: string, before: string, after: string): Promise<boolean> {
    const { database, schema, endpoint } = this.#tables
    const replaced = await database.query(
      `UPDATE ${schema}.mcp_session SET state = $4, notifier = $5
         WHERE id = $1 AND endpoint = $2 AND state = $3 RETURNING id`,
      [id, endpoint, before, after, this.#lease.id],
    )
    return replaced.length > 0
  }

  /** From now on this process, which has the current state, notifies the session. */
  #takeOver(id: string): void {
    const { database, schema, endpoint } = this.#tables
    const taking = this.#writes.run(id, async () => {
      await this.#lease.register()
      await database.query(
        `UPDATE ${schema}.mcp_session SET notifier = $3 WHERE id = $1 AND endpoint = $2`,
        [id, endpoint, this.#lease.id],
      )
    })
    // The next message tries again.
    taking.catch(() => {})
  }
}

interface CreatedRow {
  readonly created_at: number
  readonly evicted_id: string | null
  readonly evicted_at: number | null
}

/** Makes room if the store is full; creates nothing if there is none. */
function toCreateStatement(schema: string): string {
  const sessions = `${schema}.mcp_session`
  return `WITH ${CLOCK},
    total AS (SELECT count(*) AS count FROM ${sessions} WHERE endpoint = $2),
    evicted AS (
      DELETE FROM ${sessions} WHERE id = (
        SELECT id FROM ${sessions}, clock, total
          WHERE endpoint = $2 AND count >= $3::bigint AND connected_until <= now
            AND greatest(seen_at, connected_until) <= now - $4::bigint
          ORDER BY seen_at, id LIMIT 1 FOR UPDATE OF mcp_session SKIP LOCKED)
      RETURNING id, created_at),
    created AS (
      INSERT INTO ${sessions} (id, endpoint, owner, event_tag, created_at, seen_at,
          connected_until, last_stream, state, notifier)
        SELECT $5, $2, $6, $7, now, now, 0, ${STANDALONE_STREAM}, $8, $9 FROM clock, total
          WHERE count < $3::bigint OR EXISTS (SELECT FROM evicted)
        RETURNING event_tag, created_at),
    standalone AS (
      INSERT INTO ${schema}.mcp_stream (event_tag, number)
        SELECT event_tag, ${STANDALONE_STREAM} FROM created)
    SELECT created.created_at, evicted.id AS evicted_id, evicted.created_at AS evicted_at
      FROM created LEFT JOIN evicted ON true`
}
