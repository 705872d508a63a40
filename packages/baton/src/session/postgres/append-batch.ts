import { toByteLength } from '../byte-length.ts'
import { type EventPosition, toEventId } from '../event-id.ts'
import type { SessionLimits } from '../session-limits.ts'
import type { SessionTables } from './session-database.ts'

/** A message for a stream, and whether it may be left out when its readers are far behind. */
export interface NewEvent {
  readonly data: string
  readonly isDroppable: boolean
}

/** The stream of a batch. */
export interface AppendTarget {
  readonly sessionId: string
  readonly streamId: string
  readonly position: EventPosition
  /** Nothing is added unless this process is the one that notifies the session. */
  readonly notifier: string | null
}

/** Messages in one statement. */
const MOST_EVENTS = 200

interface AddedRow {
  readonly at: number
  readonly sequence: number
  readonly first_sequence: number
  readonly last_sequence: number
  readonly total_bytes: number
}

/** The events that wait for the same stream: they are added in one statement. */
export class AppendBatch {
  readonly target: AppendTarget
  readonly #tables: SessionTables
  readonly #limits: SessionLimits
  readonly #events: NewEvent[] = []
  #isSent = false
  /** The event ids, by position in the batch. */
  sent: Promise<ReadonlyMap<number, string>> | undefined

  constructor(target: AppendTarget, tables: SessionTables, limits: SessionLimits) {
    this.target = target
    this.#tables = tables
    this.#limits = limits
  }

  /** Whether an event for the target may still join. */
  takes({ streamId, notifier }: AppendTarget): boolean {
    const isSame = this.target.streamId === streamId && this.target.notifier === notifier
    return isSame && !this.#isSent && this.#events.length < MOST_EVENTS
  }

  /** The position of the event in the batch. */
  add(event: NewEvent): number {
    return this.#events.push(event)
  }

  async send(delivered: number): Promise<ReadonlyMap<number, string>> {
    this.#isSent = true
    const rows = await this.#insert(delivered)
    const [stream] = rows
    if (stream !== undefined && this.#isOverLimit(stream)) await this.#trim()
    const { streamId } = this.target
    return new Map(rows.map(({ at, sequence }) => [at, toEventId(streamId, sequence)]))
  }

  async #insert(delivered: number): Promise<readonly AddedRow[]> {
    const { database, schema, endpoint } = this.#tables
    const { sessionId, position, notifier } = this.target
    return await database.query<AddedRow>(
      `WITH sent AS (
         SELECT data, bytes, droppable, at, sum(bytes) OVER (ORDER BY at) - bytes AS before
           FROM unnest($5::text[], $6::bigint[], $7::boolean[]) WITH ORDINALITY
             AS t (data, bytes, droppable, at)),
       target AS (
         SELECT st.last_sequence, st.bytes, greatest(st.delivered_sequence, $8::bigint) AS delivered
           FROM ${schema}.mcp_stream AS st JOIN ${schema}.mcp_session AS s USING (event_tag)
           WHERE s.id = $1 AND s.endpoint = $2 AND event_tag = $3 AND st.number = $4
             AND st.closed_at IS NULL AND ($9::text IS NULL OR s.notifier = $9)
           FOR UPDATE OF st),
       unread AS (
         SELECT coalesce(sum(e.bytes), 0) AS bytes FROM ${schema}.mcp_event AS e, target
           WHERE e.event_tag = $3 AND e.number = $4 AND e.sequence > target.delivered),
       accepted AS (
         SELECT data, sent.bytes, at,
             target.last_sequence + row_number() OVER (ORDER BY at) AS sequence
           FROM sent, target, unread
           WHERE NOT droppable OR (target.last_sequence + at - 1 - delivered < $10::bigint
             AND least(target.bytes, unread.bytes) + before < $11::bigint)),
       grown AS (
         UPDATE ${schema}.mcp_stream AS st
           SET last_sequence = st.last_sequence + a.count, bytes = st.bytes + a.bytes
           FROM (SELECT count(*) AS count, sum(bytes) AS bytes FROM accepted) AS a
           WHERE st.event_tag = $3 AND st.number = $4 AND a.count > 0
           RETURNING st.first_sequence, st.last_sequence, st.bytes AS total_bytes),
       added AS (
         INSERT INTO ${schema}.mcp_event (event_tag, number, sequence, bytes, data)
           SELECT $3, $4, sequence, bytes, data FROM accepted)
       SELECT at, sequence, first_sequence, last_sequence, total_bytes
         FROM accepted, grown ORDER BY at`,
      [
        sessionId,
        endpoint,
        position.tag,
        position.stream,
        this.#events.map(({ data }) => data),
        this.#events.map(({ data }) => toByteLength(data)),
        this.#events.map(({ isDroppable }) => isDroppable),
        delivered,
        notifier,
        Math.ceil(this.#limits.eventsPerStream / 2),
        Math.ceil(this.#limits.bytesPerStream / 2),
      ],
    )
  }

  #isOverLimit({ first_sequence: first, last_sequence: last, total_bytes: bytes }: AddedRow) {
    const { eventsPerStream, bytesPerStream } = this.#limits
    return first < last && (last - first + 1 > eventsPerStream || bytes > bytesPerStream)
  }

  /** Drops the oldest events beyond the limits. The newest stays, because no reader has had a chance to read it. */
  async #trim(): Promise<void> {
    const { database, schema } = this.#tables
    const { tag, stream } = this.target.position
    const { eventsPerStream, bytesPerStream } = this.#limits
    await database.query(
      `WITH counted AS (
         SELECT sequence, row_number() OVER newest AS position, sum(bytes) OVER newest AS total
           FROM ${schema}.mcp_event WHERE event_tag = $1 AND number = $2
           WINDOW newest AS (ORDER BY sequence DESC)),
       kept AS (
         SELECT min(sequence) AS first FROM counted
           WHERE position = 1 OR (position <= $3 AND total <= $4)),
       gone AS (
         DELETE FROM ${schema}.mcp_event USING kept
           WHERE event_tag = $1 AND number = $2 AND sequence < first RETURNING bytes)
       UPDATE ${schema}.mcp_stream SET first_sequence = greatest(first_sequence, first),
           bytes = bytes - (SELECT coalesce(sum(bytes), 0) FROM gone)
         FROM kept WHERE event_tag = $1 AND number = $2`,
      [tag, stream, eventsPerStream, bytesPerStream],
    )
  }
}
