import { toByteLength } from './byte-length.ts'
import { toEventId } from './event-id.ts'
import type { StreamEvent } from './event-log.ts'
import type { SessionLimits } from './session-limits.ts'

interface KeptEvent {
  readonly sequence: number
  readonly data: string
  readonly bytes: number
}

/** One stream in memory: the newest events within its budget, and counters that never go back. */
export class MemoryStream {
  readonly id: string
  closedAt: number | undefined
  /** Highest sequence number that a connection took. */
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
    // The newest event always stays, however large: its reader has not had a chance to see it.
    while (
      this.#events.length > 1 &&
      (this.#events.length > limits.eventsPerStream || this.#bytes > limits.bytesPerStream)
    ) {
      this.#dropOldest()
    }
    return toEventId(this.id, this.#lastSequence)
  }

  /** The events behind a sequence number, or why there is no gap-free answer. */
  readAfter(sequence: number): StreamEvent[] | 'purged' | 'unknown' {
    if (sequence > this.#lastSequence) return 'unknown'
    const firstKept = this.#lastSequence - this.#events.length + 1
    if (sequence + 1 < firstKept) return 'purged'
    return this.#events
      .slice(sequence + 1 - firstKept)
      .map((event) => ({ id: toEventId(this.id, event.sequence), data: event.data }))
  }

  /** Whether what no connection took yet is half of what the stream may hold. */
  isBehind({ eventsPerStream, bytesPerStream }: SessionLimits): boolean {
    if (this.#lastSequence - this.delivered >= eventsPerStream / 2) return true
    if (this.#bytes < bytesPerStream / 2) return false
    const unread = this.#events.filter(({ sequence }) => sequence > this.delivered)
    return unread.reduce((sum, { bytes }) => sum + bytes, 0) >= bytesPerStream / 2
  }

  /** Forgets the events but not how many there were, so that their ids stay known. */
  purge(): void {
    this.#events = []
    this.#bytes = 0
  }

  #dropOldest(): void {
    this.#bytes -= this.#events.shift()?.bytes ?? 0
  }
}
