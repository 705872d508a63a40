import type { OutgoingFrame } from '../../server/outlet.ts'
import type { EventLog } from '../../session/event-log.ts'
import { keepFrame } from './keep-frame.ts'

/** Whose stream is written, and how it ends if nobody ends it. */
export interface EventWriterOptions {
  readonly sessionId: string
  readonly lastWill: string
  readonly onError: (error: unknown) => void
}

/** Writes the stream of one request, which is opened with its first message. */
export class EventWriter {
  /** The stream's id; `undefined` when the session has ended meanwhile. */
  readonly streamId: Promise<string | undefined>
  readonly #events: EventLog
  readonly #sessionId: string
  readonly #onError: (error: unknown) => void

  constructor(events: EventLog, { sessionId, lastWill, onError }: EventWriterOptions) {
    this.#events = events
    this.#sessionId = sessionId
    this.#onError = onError
    this.streamId = events.openStream(sessionId, lastWill)
  }

  /** Keeps a message; the log takes calls in the order they are made, so nobody has to wait here. */
  write(frame: OutgoingFrame): void {
    const sessionId = this.#sessionId
    this.#withStream((streamId) => keepFrame(this.#events, { sessionId, streamId }, frame))
  }

  close(): void {
    this.#withStream((streamId) => this.#events.closeStream(this.#sessionId, streamId))
  }

  #withStream(step: (streamId: string) => Promise<unknown>): void {
    this.streamId.then((id) => (id === undefined ? undefined : step(id))).catch(this.#onError)
  }
}
