import { parseEventId, toEventId } from '../event-id.ts'
import type { EventLog, Replay } from '../event-log.ts'
import type { MemorySession } from './session.ts'
import type { SessionLimits } from '../session-limits.ts'
import { StreamWatchers } from '../stream-watchers.ts'

/** State that the log shares with its session store. */
export interface MemoryEventLogOptions {
  /** Ordered by last activity, oldest first. */
  readonly sessionsById: ReadonlyMap<string, MemorySession>
  readonly limits: SessionLimits
  readonly now: () => number
}

/** Event streams kept in memory. */
export class MemoryEventLog implements EventLog {
  readonly #options: MemoryEventLogOptions
  readonly #watchers = new StreamWatchers()
  /** Upper bound for the size of all streams; recomputed when it reaches the limit. */
  #bytes = 0

  constructor(options: MemoryEventLogOptions) {
    this.#options = options
  }

  openStream(sessionId: string): Promise<string | undefined> {
    const { sessionsById, limits } = this.#options
    return Promise.resolve(sessionsById.get(sessionId)?.openStream(limits.streamsPerSession).id)
  }

  append(sessionId: string, streamId: string, data: string): Promise<string | undefined> {
    const { sessionsById, limits } = this.#options
    const session = sessionsById.get(sessionId)
    const stream = session?.findStreamById(streamId)
    if (session === undefined || stream === undefined || stream.closedAt !== undefined)
      return Promise.resolve(undefined)
    const before = stream.bytes
    const eventId = stream.append(data, limits)
    this.#bytes += Math.max(0, stream.bytes - before)
    if (this.#bytes > limits.bytesTotal) this.#reclaim(session)
    this.#watchers.wake(streamId)
    return Promise.resolve(eventId)
  }

  offer(sessionId: string, streamId: string, data: string): Promise<string | undefined> {
    const { sessionsById, limits } = this.#options
    const stream = sessionsById.get(sessionId)?.findStreamById(streamId)
    if (stream?.isBehind(limits) === true) return Promise.resolve(undefined)
    return this.append(sessionId, streamId, data)
  }

  closeStream(sessionId: string, streamId: string): Promise<void> {
    const stream = this.#options.sessionsById.get(sessionId)?.findStreamById(streamId)
    if (stream !== undefined) {
      stream.closedAt ??= this.#options.now()
      this.#watchers.wake(streamId)
    }
    return Promise.resolve()
  }

  readAfter(sessionId: string, eventId: string): Promise<Replay> {
    return Promise.resolve(this.#replay(sessionId, eventId))
  }

  undeliveredFrom(sessionId: string, streamId: string): Promise<string | undefined> {
    const stream = this.#options.sessionsById.get(sessionId)?.findStreamById(streamId)
    return Promise.resolve(stream && toEventId(streamId, stream.delivered))
  }

  markDelivered(sessionId: string, eventId: string): void {
    const session = this.#options.sessionsById.get(sessionId)
    const position = parseEventId(eventId)
    if (session === undefined || position?.tag !== session.eventTag) return
    const stream = session.findStream(position.stream)
    if (typeof stream !== 'string') stream.delivered = Math.max(stream.delivered, position.sequence)
  }

  watch(streamId: string, wake: () => void): () => void {
    return this.#watchers.add(streamId, wake)
  }

  /** Wakes the connections of a session that has ended. */
  sessionEnded(session: MemorySession): void {
    this.#watchers.wake(session.toSnapshot().standaloneStream)
    for (const stream of session.streams) this.#watchers.wake(stream.id)
  }

  #replay(sessionId: string, eventId: string): Replay {
    const session = this.#options.sessionsById.get(sessionId)
    const position = parseEventId(eventId)
    if (session === undefined || position?.tag !== session.eventTag) return { outcome: 'unknown' }
    const stream = session.findStream(position.stream)
    if (typeof stream === 'string') return { outcome: stream }
    const events = stream.readAfter(position.sequence)
    if (typeof events === 'string') return { outcome: events }
    return { outcome: 'events', streamId: stream.id, events, closed: stream.closedAt !== undefined }
  }

  /** Drops the events of the longest idle sessions, except the one that is written to. */
  #reclaim(writing: MemorySession): void {
    const { sessionsById, limits } = this.#options
    this.#bytes = 0
    for (const session of sessionsById.values()) this.#bytes += session.bytes
    for (const session of sessionsById.values()) {
      if (this.#bytes <= limits.bytesTotal) return
      if (session === writing) continue
      this.#bytes -= session.bytes
      for (const stream of session.streams) stream.purge()
    }
  }
}
