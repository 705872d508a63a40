import { parseEventId, parseStreamId, toEventId, toStreamId } from '../event-id.ts'
import type { EventLog, Replay, StreamEvent } from '../event-log.ts'
import type { SessionLimits } from '../session-limits.ts'
import { AppendBatch, type AppendTarget, type NewEvent } from './append-batch.ts'
import type { DeferredWrites } from './deferred-writes.ts'
import type { OrderedWrites } from './ordered-writes.ts'
import { CLOCK, type SessionTables, toTime } from './session-database.ts'
import type { StreamWakeUps } from './stream-wake-ups.ts'
import type { WriterLease } from './writer-lease.ts'

interface ReadRow {
  readonly tag: string
  readonly last_stream: number
  readonly last_sequence: number | null
  readonly closed_at: number | null
  readonly is_orphaned: boolean
  readonly sequence: number | null
  readonly data: string
}

/** State that the log shares with its session store. */
export interface PostgresEventLogOptions {
  readonly tables: SessionTables
  readonly writes: OrderedWrites
  readonly deferred: DeferredWrites
  readonly lease: WriterLease
  readonly wakeUps: StreamWakeUps
  readonly limits: SessionLimits
}

/** Event streams in a database that several processes share. */
export class PostgresEventLog implements EventLog {
  readonly #options: PostgresEventLogOptions
  readonly #tables: SessionTables
  /** The last batch of each session and how it is sent; others may join while it waits. */
  readonly #batches = new Map<string, { batch: AppendBatch; write: () => Promise<unknown> }>()

  constructor(options: PostgresEventLogOptions) {
    this.#options = options
    this.#tables = options.tables
  }

  openStream(sessionId: string, fallbackAnswer?: string): Promise<string | undefined> {
    const { writes, lease, limits } = this.#options
    const { database, schema, endpoint } = this.#tables
    return writes.run(sessionId, async () => {
      if (fallbackAnswer !== undefined) await lease.register()
      const [opened] = await database.query<{ tag: string; number: number }>(
        `WITH opened AS (
           UPDATE ${schema}.mcp_session SET last_stream = last_stream + 1
             WHERE id = $1 AND endpoint = $2 RETURNING event_tag, last_stream),
         streams AS (
           SELECT event_tag, number, closed_at FROM ${schema}.mcp_stream JOIN opened USING (event_tag)),
         dropped AS (
           DELETE FROM ${schema}.mcp_stream WHERE (event_tag, number) IN (
             SELECT event_tag, number FROM streams WHERE closed_at IS NOT NULL ORDER BY number
               LIMIT greatest(0, (SELECT count(*) + 1 FROM streams) - $3)))
         INSERT INTO ${schema}.mcp_stream (event_tag, number, writer, last_will)
           SELECT event_tag, last_stream, $4, $5 FROM opened RETURNING event_tag AS tag, number`,
        [
          sessionId,
          endpoint,
          limits.streamsPerSession,
          fallbackAnswer === undefined ? null : lease.id,
          fallbackAnswer ?? null,
        ],
      )
      return opened && toStreamId(opened.tag, opened.number)
    })
  }

  append(sessionId: string, streamId: string, data: string): Promise<string | undefined> {
    return this.#add({ sessionId, streamId, notifier: null }, { data, isDroppable: false })
  }

  offer(sessionId: string, streamId: string, data: string): Promise<string | undefined> {
    return this.#add({ sessionId, streamId, notifier: null }, { data, isDroppable: true })
  }

  announce(sessionId: string, streamId: string, data: string): Promise<string | undefined> {
    const notifier = this.#options.lease.id
    return this.#add({ sessionId, streamId, notifier }, { data, isDroppable: false })
  }

  async closeStream(sessionId: string, streamId: string): Promise<void> {
    const { writes, wakeUps } = this.#options
    const { database, schema, endpoint } = this.#tables
    const position = parseStreamId(streamId)
    if (position === undefined) return
    await writes.run(sessionId, () =>
      database.query(
        `WITH ${CLOCK} UPDATE ${schema}.mcp_stream AS st SET closed_at = now
           FROM clock, ${schema}.mcp_session AS s
           WHERE s.id = $2 AND s.endpoint = $3 AND s.event_tag = st.event_tag
             AND st.event_tag = $4 AND number = $5 AND closed_at IS NULL`,
        [toTime(this.#tables), sessionId, endpoint, position.tag, position.stream],
      ),
    )
    wakeUps.changed(streamId)
  }

  async readAfter(sessionId: string, eventId: string): Promise<Replay> {
    const { replay, isOrphaned } = await this.#read(sessionId, eventId)
    if (!isOrphaned || replay.outcome !== 'events') return replay
    await this.#answerForDead(replay.streamId)
    return (await this.#read(sessionId, eventId)).replay
  }

  async undeliveredFrom(sessionId: string, streamId: string): Promise<string | undefined> {
    const { database, schema, endpoint } = this.#tables
    const position = parseStreamId(streamId)
    if (position === undefined) return undefined
    const [stream] = await database.query<{ delivered: number }>(
      `SELECT delivered_sequence AS delivered
         FROM ${schema}.mcp_stream JOIN ${schema}.mcp_session AS s USING (event_tag)
         WHERE s.id = $1 AND s.endpoint = $2 AND event_tag = $3 AND number = $4`,
      [sessionId, endpoint, position.tag, position.stream],
    )
    if (stream === undefined) return undefined
    const delivered = Math.max(stream.delivered, this.#options.deferred.deliveredIn(streamId))
    return toEventId(streamId, delivered)
  }

  markDelivered(_sessionId: string, eventId: string): void {
    const position = parseEventId(eventId)
    if (position === undefined) return
    const { tag, stream, sequence } = position
    this.#options.deferred.markDelivered(toStreamId(tag, stream), sequence)
  }

  watch(streamId: string, wake: () => void): () => void {
    return this.#options.wakeUps.watch(streamId, wake)
  }

  async #add(
    { sessionId, streamId, notifier }: Omit<AppendTarget, 'position'>,
    event: NewEvent,
  ): Promise<string | undefined> {
    const position = parseStreamId(streamId)
    if (position === undefined) return undefined
    const batch = this.#findBatch({ sessionId, streamId, position, notifier })
    const at = batch.add(event)
    const eventId = (await batch.sent)?.get(at)
    this.#options.wakeUps.changed(streamId)
    return eventId
  }

  /** The batch that waits last in the session, or a new one. */
  #findBatch(target: AppendTarget): AppendBatch {
    const { writes, deferred, limits } = this.#options
    const { sessionId, streamId } = target
    const last = this.#batches.get(sessionId)
    if (last?.batch.takes(target) && writes.isLast(sessionId, last.write)) return last.batch
    const batch = new AppendBatch(target, this.#tables, limits)
    const write = async () => {
      // Messages of the same turn join.
      await Promise.resolve()
      return await batch.send(deferred.deliveredIn(streamId))
    }
    const added = { batch, write }
    this.#batches.set(sessionId, added)
    batch.sent = writes.run(sessionId, write).finally(() => {
      if (this.#batches.get(sessionId) === added) this.#batches.delete(sessionId)
    })
    return batch
  }

  async #read(
    sessionId: string,
    eventId: string,
  ): Promise<{ replay: Replay; isOrphaned: boolean }> {
    const position = parseEventId(eventId)
    if (position === undefined) return { replay: UNKNOWN, isOrphaned: false }
    const rows = await this.#readRows(sessionId, position)
    const [row] = rows
    const { tag, stream, sequence } = position
    if (row === undefined || tag !== row.tag || stream > row.last_stream)
      return { replay: UNKNOWN, isOrphaned: false }
    if (row.last_sequence === null) return { replay: PURGED, isOrphaned: false }
    if (sequence > row.last_sequence) return { replay: UNKNOWN, isOrphaned: false }
    const streamId = toStreamId(tag, stream)
    const events = toEvents(rows, streamId)
    const isComplete = sequence === row.last_sequence || row.sequence === sequence + 1
    if (!isComplete) return { replay: PURGED, isOrphaned: false }
    const isClosed = row.closed_at !== null
    return {
      replay: { outcome: 'events', streamId, events, closed: isClosed },
      isOrphaned: Boolean(row.is_orphaned),
    }
  }

  /** One row for each event, one without an event if there is none, and no row without the session. */
  async #readRows(
    sessionId: string,
    { stream, sequence }: { readonly stream: number; readonly sequence: number },
  ): Promise<readonly ReadRow[]> {
    const { database, schema, endpoint } = this.#tables
    return await database.query<ReadRow>(
      `WITH ${CLOCK}
       SELECT s.event_tag AS tag, s.last_stream, st.last_sequence, st.closed_at,
           st.closed_at IS NULL AND st.writer <> $6 AND NOT EXISTS (
             SELECT FROM ${schema}.mcp_writer AS w, clock
               WHERE w.id = st.writer AND w.alive_until > now) AS is_orphaned,
           e.sequence, e.data
         FROM ${schema}.mcp_session AS s
           LEFT JOIN ${schema}.mcp_stream AS st ON st.event_tag = s.event_tag AND st.number = $4
           LEFT JOIN ${schema}.mcp_event AS e
             ON e.event_tag = st.event_tag AND e.number = st.number AND e.sequence > $5
         WHERE s.id = $2 AND s.endpoint = $3 ORDER BY e.sequence`,
      [toTime(this.#tables), sessionId, endpoint, stream, sequence, this.#options.lease.id],
    )
  }

  /** Ends the stream of a dead process with its fallback answer. */
  async #answerForDead(streamId: string): Promise<void> {
    const { database, schema } = this.#tables
    const position = parseStreamId(streamId)
    if (position === undefined) return
    await database.query(
      `WITH ${CLOCK}, ended AS (
         UPDATE ${schema}.mcp_stream SET closed_at = now,
             last_sequence = last_sequence + CASE WHEN last_will IS NULL THEN 0 ELSE 1 END,
             bytes = bytes + coalesce(octet_length(last_will), 0)
           FROM clock WHERE event_tag = $2 AND number = $3 AND closed_at IS NULL
           RETURNING event_tag, number, last_sequence, last_will)
       INSERT INTO ${schema}.mcp_event (event_tag, number, sequence, bytes, data)
         SELECT event_tag, number, last_sequence, octet_length(last_will), last_will
           FROM ended WHERE last_will IS NOT NULL`,
      [toTime(this.#tables), position.tag, position.stream],
    )
  }
}

const UNKNOWN: Replay = { outcome: 'unknown' }
const PURGED: Replay = { outcome: 'purged' }

function toEvents(rows: readonly ReadRow[], streamId: string): StreamEvent[] {
  return rows.flatMap(({ sequence, data }) =>
    sequence === null ? [] : [{ id: toEventId(streamId, sequence), data }],
  )
}
