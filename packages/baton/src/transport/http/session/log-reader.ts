import type { EventLog } from '../../../session/event-log.ts'
import type { EventSink } from '../http-message.ts'
import { toSseText } from './sse-event.ts'

/** The stream that a connection reads, and its start. */
export interface LogPosition {
  readonly sessionId: string
  readonly streamId: string
  /** The id of the last event that the client has received. */
  readonly after: string
}

/** A cursor over a stream: writes the available events to a connection, waits for more and writes those. */
export class LogReader {
  readonly #events: EventLog
  readonly #sink: EventSink
  readonly #sessionId: string
  readonly #streamId: string
  #cursor: string
  #wake: () => void = () => {}
  #isWoken = false
  #isFinishing = false
  #isDeleted = false

  constructor(events: EventLog, sink: EventSink, { sessionId, streamId, after }: LogPosition) {
    this.#events = events
    this.#sink = sink
    this.#sessionId = sessionId
    this.#streamId = streamId
    this.#cursor = after
  }

  /**
   * Resolves when the stream has ended or was deleted, or the client has disconnected. If it was deleted, the text that
   * `onDeleted` returns is written last.
   */
  async run(onDeleted?: () => Promise<string>): Promise<void> {
    // Watches before the first read, so that no event is missed in between.
    const unwatch = this.#events.watch(this.#streamId, () => this.wake())
    try {
      while (await this.#writeNext()) {
        if (this.#isFinishing && !this.#isWoken) return
        await this.#woken()
      }
      if (this.#isDeleted && onDeleted !== undefined) this.#sink.write(await onDeleted())
    } finally {
      unwatch()
      this.#sink.end()
    }
  }

  /** Stops the reader after it has written the available events. */
  finish(): void {
    this.#isFinishing = true
    this.wake()
  }

  /** Makes the reader check the stream and its client again. */
  wake(): void {
    this.#isWoken = true
    this.#wake()
  }

  /** Writes the events after the cursor; false if there will be no more. */
  async #writeNext(): Promise<boolean> {
    this.#isWoken = false
    const replay = await this.#events.readAfter(this.#sessionId, this.#cursor)
    // If events were dropped before a slow reader got to them, the stream must end rather than have a gap.
    if (replay.outcome !== 'events') {
      this.#isDeleted = replay.outcome === 'unknown'
      return false
    }
    for (const event of replay.events) {
      if (this.#sink.closed) return false
      const hasCapacity = this.#sink.write(toSseText({ event: 'message', ...event }))
      this.#cursor = event.id
      this.#events.markDelivered(this.#sessionId, event.id)
      if (!hasCapacity) await this.#sink.drained()
    }
    return !replay.closed && !this.#sink.closed
  }

  #woken(): Promise<void> {
    if (this.#isWoken) return Promise.resolve()
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}
