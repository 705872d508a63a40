import { toByteLength } from '../byte-length.ts'
import { toEventId } from '../event-id.ts'
import type { StreamEvent } from '../event-log.ts'
import type { SessionLimits } from '../session-limits.ts'

interface KeptEvent {
  readonly sequence: number
  readonly data: string
  readonly bytes: number
}

/** One stream in memory: the newest events within its limits, and counters that never decrease. */
export class MemoryStream {
  readonly id: string
  closedAt: number | undefined
  /** The highest delivered sequence number. */
  delivered = 0
  #lastSequence = 0
  #bytes = 0
  #events: KeptEvent[] = []

  constructor(id: string) {
    this.id = id
  }

  get bytes(): number {
    return this.#bytes
  }

  append(data: string, limits: SessionLimits): string {
    const bytes = toByteLength(data)
    this.#lastSequence += 1
    this.#events.push({ sequence: this.#lastSequence, data, bytes })
    this.#bytes += bytes
    // The newest event stays even if it exceeds the limits, because no reader has had a chance to read it.
    while (
      this.#events.length > 1 &&
      (this.#events.length > limits.eventsPerStream || this.#bytes > limits.bytesPerStream)
    ) {
      this.#dropOldest()
    }
    return toEventId(this.id, this.#lastSequence)
  }

  /** The events after a sequence number, or why they are not available without a gap. */
  readAfter(sequence: number): StreamEvent[] | 'purged' | 'unknown' {
    if (sequence > this.#lastSequence) return 'unknown'
    const firstKept = this.#lastSequence - this.#events.length + 1
    if (sequence + 1 < firstKept) return 'purged'
    return this.#events
      .slice(sequence + 1 - firstKept)
      .map((event) => ({ id: toEventId(this.id, event.sequence), data: event.data }))
  }

  /** Whether undelivered events fill half of the stream's capacity. */
  isBehind({ eventsPerStream, bytesPerStream }: SessionLimits): boolean {
    if (this.#lastSequence - this.delivered >= eventsPerStream / 2) return true
    if (this.#bytes < bytesPerStream / 2) return false
    const unread = this.#events.filter(({ sequence }) => sequence > this.delivered)
    return unread.reduce((sum, { bytes }) => sum + bytes, 0) >= bytesPerStream / 2
  }

  /** Drops the events but not the counters, so that their ids remain valid. */
  purge(): void {
    this.#events = []
    this.#bytes = 0
  }

  #dropOldest(): void {
    this.#bytes -= this.#events.shift()?.bytes ?? 0
  }
}
