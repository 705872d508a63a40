import type { EventLog } from '../../session/event-log.ts'
import type { EventSink } from './http-message.ts'
import { toSseText } from './sse-event.ts'

/** Which stream a connection reads, and from where. */
export interface LogPosition {
  readonly sessionId: string
  readonly streamId: string
  /** The last event that the client has. */
  readonly after: string
}

/** One connection's cursor over a stream: writes what is there, waits, and writes what came. */
export class LogReader {
  readonly #events: EventLog
  readonly #sink: EventSink
  readonly #sessionId: string
  readonly #streamId: string
  #cursor: string
  #wake: () => void = () => {}
  #isWoken = false
  #isFinishing = false
  #isGone = false

  constructor(events: EventLog, sink: EventSink, { sessionId, streamId, after }: LogPosition) {
    this.#events = events
    this.#sink = sink
    this.#sessionId = sessionId
    this.#streamId = streamId
    this.#cursor = after
  }

  /** Resolves when the stream is closed and read to its end, is gone, or the client is. What `onGone` returns is written when it is gone. */
  async run(onGone?: () => Promise<string>): Promise<void> {
    // Watching begins before the first read, so that nothing can arrive unseen in between.
    const unwatch = this.#events.watch(this.#streamId, () => this.stir())
    try {
      while (await this.#writeNext()) {
        if (this.#isFinishing && !this.#isWoken) return
        await this.#woken()
      }
      if (this.#isGone && onGone !== undefined) this.#sink.write(await onGone())
    } finally {
      unwatch()
      this.#sink.end()
    }
  }

  /** Makes the reader stop when it has written what is there. */
  finish(): void {
    this.#isFinishing = true
    this.stir()
  }

  /** Makes the reader look again, at the stream and at whether its client is still there. */
  stir(): void {
    this.#isWoken = true
    this.#wake()
  }

  /** Writes all that follows the cursor; false when there is no more to come. */
  async #writeNext(): Promise<boolean> {
    this.#isWoken = false
    const replay = await this.#events.readAfter(this.#sessionId, this.#cursor)
    // A reader so slow that events were dropped before it came must not go on as if nothing were missing.
    if (replay.outcome !== 'events') {
      this.#isGone = replay.outcome === 'unknown'
      return false
    }
    for (const event of replay.events) {
      if (this.#sink.closed) return false
      const isTaken = this.#sink.write(toSseText({ event: 'message', ...event }))
      this.#cursor = event.id
      this.#events.markDelivered(this.#sessionId, event.id)
      if (!isTaken) await this.#sink.drained()
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
