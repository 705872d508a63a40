import type { OutgoingFrame } from '../../../server/message-sink.ts'
import type { EventLog } from '../../../session/event-log.ts'
import { appendFrame } from './append-frame.ts'

/** Options of a stream writer. */
export interface EventWriterOptions {
  readonly sessionId: string
  readonly fallbackAnswer: string
  readonly onError: (error: unknown) => void
}

/** Writes the event stream of one request. */
export class EventWriter {
  /** The stream's id; `undefined` if the session has ended. */
  readonly streamId: Promise<string | undefined>
  readonly #events: EventLog
  readonly #sessionId: string
  readonly #onError: (error: unknown) => void

  constructor(events: EventLog, { sessionId, fallbackAnswer, onError }: EventWriterOptions) {
    this.#events = events
    this.#sessionId = sessionId
    this.#onError = onError
    this.streamId = events.openStream(sessionId, fallbackAnswer)
  }

  /** Appends a message. The log keeps the order of calls, so the caller need not wait. */
  write(frame: OutgoingFrame): void {
    const sessionId = this.#sessionId
    this.#withStream((streamId) => appendFrame(this.#events, { sessionId, streamId }, frame))
  }

  close(): void {
    this.#withStream((streamId) => this.#events.closeStream(this.#sessionId, streamId))
  }

  #withStream(step: (streamId: string) => Promise<unknown>): void {
    this.streamId.then((id) => (id === undefined ? undefined : step(id))).catch(this.#onError)
  }
}
