import { type Connection, retryWhileBusy } from '@waymark/sqlite'
import { toByteLength } from '../byte-length.ts'
import { parseEventId, parseStreamId, toEventId, toStreamId } from '../event-id.ts'
import type { EventLog, Replay, StreamEvent } from '../event-log.ts'
import type { SessionLimits } from '../session-limits.ts'
import { StreamWatchers } from '../stream-watchers.ts'
import type { DeferredWrites } from './deferred-writes.ts'
import type { GroupCommit } from './group-commit.ts'
import type { WriterLease } from './writer-lease.ts'

/** How often to check whether another process appended events. */
const POLL_MS = 200

interface StreamRow {
  readonly key: number
  readonly first_sequence: number
  readonly last_sequence: number
  readonly delivered_sequence: number
  readonly bytes: number
  readonly closed_at: number | null
  readonly writer: string | null
  readonly last_will: string | null
}

interface EventRow {
  readonly sequence: number
  readonly data: string
}

/** State that the log shares with its session store. */
export interface SqliteEventLogOptions {
  readonly connection: Connection
  readonly commits: GroupCommit
  readonly deferred: DeferredWrites
  readonly lease: WriterLease
  readonly limits: SessionLimits
  readonly now: () => number
}

/** Event streams in a database that several processes share. */
export class SqliteEventLog implements EventLog {
  readonly #options: SqliteEventLogOptions
  readonly #watchers = new StreamWatchers()
  #poll: ReturnType<typeof setInterval> | undefined
  #dataVersion: unknown

  constructor(options: SqliteEventLogOptions) {
    this.#options = options
  }

  openStream(sessionId: string, fallbackAnswer?: string): Promise<string | undefined> {
    const { connection, commits, lease } = this.#options
    return commits.write(() => {
      const session = connection.get<{ event_tag: string; last_stream: number }>(
        `UPDATE session SET last_stream = last_stream + 1 WHERE id = ?
           RETURNING event_tag, last_stream`,
        sessionId,
      )
      if (session === undefined) return undefined
      const number = session.last_stream
      if (fallbackAnswer !== undefined) lease.register()
      connection.run(
        'INSERT INTO stream (session_id, number, writer, last_will) VALUES (?, ?, ?, ?)',
        sessionId,
        number,
        fallbackAnswer === undefined ? null : lease.id,
        fallbackAnswer ?? null,
      )
      this.#dropOldestClosed(sessionId)
      return toStreamId(session.event_tag, number)
    })
  }

  append(sessionId: string, streamId: string, data: string): Promise<string | undefined> {
    return this.#write(sessionId, streamId, (stream) => this.#add(stream, data))
  }

  offer(sessionId: string, streamId: string, data: string): Promise<string | undefined> {
    return this.#write(sessionId, streamId, (stream) => {
      const delivered = this.#deliveredIn(stream, sessionId, streamId)
      return this.#isBehind(stream, delivered) ? undefined : this.#add(stream, data)
    })
  }

  async #write(
    sessionId: string,
    streamId: string,
    add: (stream: StreamRow) => number | undefined,
  ): Promise<string | undefined> {
    const eventId = await this.#options.commits.write(() => {
      const stream = this.#findStream(sessionId, streamId)
      if (stream === undefined || stream.closed_at !== null) return undefined
      const sequence = add(stream)
      return sequence === undefined ? undefined : toEventId(streamId, sequence)
    })
    this.#watchers.wake(streamId)
    return eventId
  }

  async closeStream(sessionId: string, streamId: string): Promise<void> {
    await this.#options.commits.write(() => {
      const stream = this.#findStream(sessionId, streamId)
      if (stream !== undefined && stream.closed_at === null) this.#close(stream)
    })
    this.#watchers.wake(streamId)
  }

  async readAfter(sessionId: string, eventId: string): Promise<Replay> {
    const replay = await retryWhileBusy(() => this.#replay(sessionId, eventId))
    if (replay.outcome !== 'events' || replay.closed) return replay
    const { streamId } = replay
    if (!(await retryWhileBusy(() => this.#isOrphaned(sessionId, streamId)))) return replay
    await this.#options.commits.write(() => this.#answerForDead(sessionId, streamId))
    return await retryWhileBusy(() => this.#replay(sessionId, eventId))
  }

  undeliveredFrom(sessionId: string, streamId: string): Promise<string | undefined> {
    return retryWhileBusy(() => {
      const stream = this.#findStream(sessionId, streamId)
      if (stream === undefined) return undefined
      return toEventId(streamId, this.#deliveredIn(stream, sessionId, streamId))
    })
  }

  markDelivered(sessionId: string, eventId: string): void {
    const position = parseEventId(eventId)
    if (position === undefined) return
    const { stream, sequence } = position
    this.#options.deferred.markDelivered({ sessionId, stream, sequence })
  }

  watch(streamId: string, wake: () => void): () => void {
    const stop = this.#watchers.add(streamId, wake)
    this.#poll ??= this.#startPolling()
    return () => {
      stop()
      if (this.#watchers.size === 0) this.stopPolling()
    }
  }

  /** Wakes the connections, because their session may have ended. */
  sessionsEnded(): void {
    this.#watchers.wakeAll()
  }

  stopPolling(): void {
    clearInterval(this.#poll)
    this.#poll = undefined
  }

  #startPolling(): ReturnType<typeof setInterval> {
    this.#dataVersion = this.#readDataVersion()
    const poll = setInterval(() => {
      const version = this.#readDataVersion()
      if (version === this.#dataVersion) return
      this.#dataVersion = version
      this.#watchers.wakeAll()
    }, POLL_MS)
    return poll.unref()
  }

  /** Changes if and only if another connection has written; needs no disk access. */
  #readDataVersion(): unknown {
    try {
      return this.#options.connection.get('PRAGMA data_version')?.['data_version']
    } catch {
      // Locked for a moment; undefined differs from any version, so all watchers are woken.
      return undefined
    }
  }

  #replay(sessionId: string, eventId: string): Replay {
    const { connection } = this.#options
    const position = parseEventId(eventId)
    const session = connection.get<{ event_tag: string; last_stream: number }>(
      'SELECT event_tag, last_stream FROM session WHERE id = ?',
      sessionId,
    )
    if (position === undefined || session === undefined) return { outcome: 'unknown' }
    const { tag, stream: number, sequence } = position
    if (tag !== session.event_tag || number > session.last_stream) return { outcome: 'unknown' }
    const streamId = toStreamId(tag, number)
    const stream = this.#findStream(sessionId, streamId)
    if (stream === undefined) return { outcome: 'purged' }
    if (sequence > stream.last_sequence) return { outcome: 'unknown' }
    const events = this.#readEvents(stream, streamId, sequence)
    if (events === undefined) return { outcome: 'purged' }
    return { outcome: 'events', streamId, events, closed: stream.closed_at !== null }
  }

  /** The events after a sequence number, or `undefined` if the first of them was dropped. */
  #readEvents(stream: StreamRow, streamId: string, after: number): StreamEvent[] | undefined {
    const rows = this.#options.connection.all<EventRow>(
      'SELECT sequence, data FROM event WHERE stream_key = ? AND sequence > ? ORDER BY sequence',
      stream.key,
      after,
    )
    // Checked on the rows, because another process may have dropped events since the stream was read.
    const isComplete = rows[0]?.sequence === after + 1 || after === stream.last_sequence
    if (!isComplete) return undefined
    return rows.map(({ sequence, data }) => ({ id: toEventId(streamId, sequence), data }))
  }

  /** Whether the process that writes the stream has died. */
  #isOrphaned(sessionId: string, streamId: string): boolean {
    const writer = this.#findStream(sessionId, streamId)?.writer
    return writer !== undefined && writer !== null && this.#options.lease.isDead(writer)
  }

  /** Ends the stream of a dead process with its fallback answer. */
  #answerForDead(sessionId: string, streamId: string): void {
    const stream = this.#findStream(sessionId, streamId)
    // Checked again inside the transaction, because another process may have ended the stream.
    if (stream === undefined || stream.closed_at !== null) return
    if (stream.last_will !== null) this.#add(stream, stream.last_will)
    this.#close(stream)
  }

  #findStream(sessionId: string, streamId: string): StreamRow | undefined {
    const position = parseStreamId(streamId)
    if (position === undefined) return undefined
    return this.#options.connection.get<StreamRow>(
      `SELECT stream.* FROM stream JOIN session ON session.id = stream.session_id
         WHERE session.id = ? AND session.event_tag = ? AND stream.number = ?`,
      sessionId,
      position.tag,
      position.stream,
    )
  }

  /** The sequence number of the last delivered event, including updates that are not written yet. */
  #deliveredIn(stream: StreamRow, sessionId: string, streamId: string): number {
    const number = parseStreamId(streamId)?.stream ?? 0
    return Math.max(
      stream.delivered_sequence,
      this.#options.deferred.deliveredIn(sessionId, number),
    )
  }

  /** Whether undelivered events fill half of the stream's capacity. */
  #isBehind({ key, last_sequence, bytes }: StreamRow, delivered: number): boolean {
    const { connection, limits } = this.#options
    if (last_sequence - delivered >= limits.eventsPerStream / 2) return true
    if (bytes < limits.bytesPerStream / 2) return false
    const unread = connection.get<{ bytes: number }>(
      'SELECT coalesce(sum(bytes), 0) AS bytes FROM event WHERE stream_key = ? AND sequence > ?',
      key,
      delivered,
    )
    return (unread?.bytes ?? 0) >= limits.bytesPerStream / 2
  }

  /** Appends an event and returns its sequence number. */
  #add(stream: StreamRow, data: string): number {
    const bytes = toByteLength(data)
    const sequence = stream.last_sequence + 1
    this.#options.connection.run(
      'INSERT INTO event (stream_key, sequence, bytes, data) VALUES (?, ?, ?, ?)',
      stream.key,
      sequence,
      bytes,
      data,
    )
    this.#store({ ...stream, last_sequence: sequence, bytes: stream.bytes + bytes })
    return sequence
  }

  #close({ key }: StreamRow): void {
    const { connection, now } = this.#options
    connection.run('UPDATE stream SET closed_at = ? WHERE key = ?', now(), key)
  }

  /** Drops the oldest events beyond the limits and updates the counters. */
  #store(stream: StreamRow): void {
    const { connection, limits } = this.#options
    let { first_sequence: first, bytes } = stream
    const last = stream.last_sequence
    // The newest event stays even if it exceeds the limits, because no reader has had a chance to read it.
    while (
      first < last &&
      (last - first + 1 > limits.eventsPerStream || bytes > limits.bytesPerStream)
    ) {
      const dropped = connection.get<{ bytes: number }>(
        'DELETE FROM event WHERE stream_key = ? AND sequence = ? RETURNING bytes',
        stream.key,
        first,
      )
      bytes -= dropped?.bytes ?? 0
      first += 1
    }
    connection.run(
      'UPDATE stream SET first_sequence = ?, last_sequence = ?, bytes = ? WHERE key = ?',
      first,
      last,
      bytes,
      stream.key,
    )
  }

  #dropOldestClosed(sessionId: string): void {
    const { connection, limits } = this.#options
    connection.run(
      `DELETE FROM stream WHERE key IN (
         SELECT key FROM stream WHERE session_id = ?1 AND closed_at IS NOT NULL ORDER BY number
         LIMIT max(0, (SELECT count(*) FROM stream WHERE session_id = ?1) - ?2))`,
      sessionId,
      limits.streamsPerSession,
    )
  }
}
