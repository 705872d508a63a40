import { STANDALONE_STREAM, parseStreamId, toStreamId } from '../event-id.ts'
import { MemoryStream } from './stream.ts'
import { createEventTag, createSessionId } from '../random-id.ts'
import type { NewSession, Session, SessionState } from '../session.ts'
import type { SessionTimes } from '../session-lifetime.ts'

/** A session and its streams in memory. Streams are created on first use, because most sessions never have one. */
export class MemorySession implements SessionTimes {
  readonly id: string = createSessionId()
  readonly owner: string
  readonly createdAt: number
  readonly eventTag: string = createEventTag()
  state: SessionState
  seenAt: number
  connectedUntil = 0
  #lastStream = STANDALONE_STREAM
  #streamsByNumber: Map<number, MemoryStream> | undefined

  constructor({ owner, state }: NewSession, now: number) {
    this.owner = owner
    this.state = state
    this.createdAt = now
    this.seenAt = now
  }

  toSnapshot(): Session {
    const { id, owner, createdAt, seenAt, state } = this
    const standaloneStream = toStreamId(this.eventTag, STANDALONE_STREAM)
    return { id, owner, createdAt, seenAt, standaloneStream, state }
  }

  get streams(): Iterable<MemoryStream> {
    return this.#streamsByNumber?.values() ?? []
  }

  get bytes(): number {
    let sum = 0
    for (const stream of this.streams) sum += stream.bytes
    return sum
  }

  openStream(keep: number): MemoryStream {
    this.#dropOldestClosed(keep - 1)
    this.#lastStream += 1
    return this.#createStream(this.#lastStream)
  }

  /** The stream with this number; `purged` if it existed, `unknown` if it never did. */
  findStream(number: number): MemoryStream | 'purged' | 'unknown' {
    if (number > this.#lastStream) return 'unknown'
    const stream = this.#streamsByNumber?.get(number)
    if (stream !== undefined) return stream
    return number === STANDALONE_STREAM ? this.#createStream(number) : 'purged'
  }

  findStreamById(streamId: string): MemoryStream | undefined {
    const position = parseStreamId(streamId)
    if (position?.tag !== this.eventTag) return undefined
    const stream = this.findStream(position.stream)
    return typeof stream === 'string' ? undefined : stream
  }

  dropStreamsClosedBefore(time: number): void {
    for (const [number, stream] of this.#streamsByNumber ?? []) {
      if (stream.closedAt !== undefined && stream.closedAt <= time)
        this.#streamsByNumber?.delete(number)
    }
  }

  #createStream(number: number): MemoryStream {
    const stream = new MemoryStream(toStreamId(this.eventTag, number))
    this.#streamsByNumber ??= new Map()
    this.#streamsByNumber.set(number, stream)
    return stream
  }

  #dropOldestClosed(keep: number): void {
    const streams = this.#streamsByNumber
    for (const [number, stream] of streams ?? []) {
      if (streams === undefined || streams.size <= keep) return
      if (stream.closedAt !== undefined) streams.delete(number)
    }
  }
}
