import { toByteLength } from '../byte-length.ts'
import { parseEventId, parseStreamId, toEventId, toStreamId } from '../event-id.ts'
import type { EventLog, Replay, StreamEvent } from '../event-log.ts'
import type { SessionLimits } from '../session-limits.ts'
import { StreamWatchers } from '../stream-watchers.ts'
import { retryWhileBusy } from './busy-retry.ts'
import type { Connection } from './connection.ts'
import type { DeferredWrites } from './deferred-writes.ts'
import type { GroupCommit } from './group-commit.ts'
import type { WriterLease } from './writer-lease.ts'

/** How soon a stream learns what another process appended. */
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

/** What the log shares with the session store around it. */
export interface SqliteEventLogParts {
  readonly connection: Connection
  readonly commits: GroupCommit
  readonly deferred: DeferredWrites
  readonly lease: WriterLease
  readonly limits: SessionLimits
  readonly now: () => number
}

/** Event streams in a file that several processes share. */
export class SqliteEventLog implements EventLog {
  readonly #parts: SqliteEventLogParts
  readonly #watchers = new StreamWatchers()
  #poll: ReturnType<typeof setInterval> | undefined
  #dataVersion: unknown

  constructor(parts: SqliteEventLogParts) {
    this.#parts = parts
  }

  openStream(sessionId: string, lastWill?: string): Promise<string | undefined> {
    const { connection, commits, lease } = this.#parts
    return commits.write(() => {
      const session = connection.get<{ event_tag: string; last_stream: number }>(
        `UPDATE session SET last_stream = last_stream + 1 WHERE id = ?
           RETURNING event_tag, last_stream`,
        sessionId,
      )
      if (session === undefined) return undefined
      const number = session.last_stream
      if (lastWill !== undefined) lease.vouch()
      connection.run(
        'INSERT INTO stream (session_id, number, writer, last_will) VALUES (?, ?, ?, ?)',
        sessionId,
        number,
        lastWill === undefined ? null : lease.id,
        lastWill ?? null,
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
    const eventId = await this.#parts.commits.write(() => {
      const stream = this.#findStream(sessionId, streamId)
      if (stream === undefined || stream.closed_at !== null) return undefined
      const sequence = add(stream)
      return sequence === undefined ? undefined : toEventId(streamId, sequence)
    })
    this.#watchers.wake(streamId)
    return eventId
  }

  async closeStream(sessionId: string, streamId: string): Promise<void> {
    await this.#parts.commits.write(() => {
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
    await this.#parts.commits.write(() => this.#executeWill(sessionId, streamId))
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
    this.#parts.deferred.markDelivered({ sessionId, stream, sequence })
  }

  watch(streamId: string, wake: () => void): () => void {
    const stop = this.#watchers.add(streamId, wake)
    this.#poll ??= this.#startPolling()
    return () => {
      stop()
      if (this.#watchers.size === 0) this.stopPolling()
    }
  }

  /** Lets connections find out that their session may have ended. */
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

  /** Changes exactly when another connection has written; costs no disk access. */
  #readDataVersion(): unknown {
    try {
      return this.#parts.connection.get('PRAGMA data_version')?.['data_version']
    } catch {
      // Locked for a moment; waking everybody is the safe reading.
      return undefined
    }
  }

  #replay(sessionId: string, eventId: string): Replay {
    const { connection } = this.#parts
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

  /** The events behind a sequence number, or `undefined` when the first of them is gone. */
  #readEvents(stream: StreamRow, streamId: string, after: number): StreamEvent[] | undefined {
    const rows = this.#parts.connection.all<EventRow>(
      'SELECT sequence, data FROM event WHERE stream_key = ? AND sequence > ? ORDER BY sequence',
      stream.key,
      after,
    )
    // Judged by the rows themselves: another process may have dropped some since the stream was read.
    const isComplete = rows[0]?.sequence === after + 1 || after === stream.last_sequence
    if (!isComplete) return undefined
    return rows.map(({ sequence, data }) => ({ id: toEventId(streamId, sequence), data }))
  }

  /** Whether the process that writes the stream has died. */
  #isOrphaned(sessionId: string, streamId: string): boolean {
    const writer = this.#findStream(sessionId, streamId)?.writer
    return writer !== undefined && writer !== null && this.#parts.lease.isDead(writer)
  }

  #executeWill(sessionId: string, streamId: string): void {
    const stream = this.#findStream(sessionId, streamId)
    // Another process may have been faster; looking again inside the transaction keeps the will single.
    if (stream === undefined || stream.closed_at !== null) return
    if (stream.last_will !== null) this.#add(stream, stream.last_will)
    this.#close(stream)
  }

  #findStream(sessionId: string, streamId: string): StreamRow | undefined {
    const position = parseStreamId(streamId)
    if (position === undefined) return undefined
    return this.#parts.connection.get<StreamRow>(
      `SELECT stream.* FROM stream JOIN session ON session.id = stream.session_id
         WHERE session.id = ? AND session.event_tag = ? AND stream.number = ?`,
      sessionId,
      position.tag,
      position.stream,
    )
  }

  /** The number of the last event that a connection took, as far as it is known here. */
  #deliveredIn(stream: StreamRow, sessionId: string, streamId: string): number {
    const number = parseStreamId(streamId)?.stream ?? 0
    return Math.max(stream.delivered_sequence, this.#parts.deferred.deliveredIn(sessionId, number))
  }

  /** Whether what no connection took yet is half of what the stream may hold. */
  #isBehind({ key, last_sequence, bytes }: StreamRow, delivered: number): boolean {
    const { connection, limits } = this.#parts
    if (last_sequence - delivered >= limits.eventsPerStream / 2) return true
    if (bytes < limits.bytesPerStream / 2) return false
    const unread = connection.get<{ bytes: number }>(
      'SELECT coalesce(sum(bytes), 0) AS bytes FROM event WHERE stream_key = ? AND sequence > ?',
      key,
      delivered,
    )
    return (unread?.bytes ?? 0) >= limits.bytesPerStream / 2
  }

  /** Adds an event to a stream and returns its number. */
  #add(stream: StreamRow, data: string): number {
    const bytes = toByteLength(data)
    const sequence = stream.last_sequence + 1
    this.#parts.connection.run(
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
    const { connection, now } = this.#parts
    connection.run('UPDATE stream SET closed_at = ? WHERE key = ?', now(), key)
  }

  /** Brings a stream back into its budget and stores its counters. */
  #store(stream: StreamRow): void {
    const { connection, limits } = this.#parts
    let { first_sequence: first, bytes } = stream
    const last = stream.last_sequence
    // The newest event always stays, however large: its reader has not had a chance to see it.
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
    const { connection, limits } = this.#parts
    connection.run(
      `DELETE FROM stream WHERE key IN (
         SELECT key FROM stream WHERE session_id = ?1 AND closed_at IS NOT NULL ORDER BY number
         LIMIT max(0, (SELECT count(*) FROM stream WHERE session_id = ?1) - ?2))`,
      sessionId,
      limits.streamsPerSession,
    )
  }
}
