import { ERROR_CODES } from '../../../protocol/error.ts'
import type { OutgoingFrame, MessageSink } from '../../../server/message-sink.ts'
import { toJsonAnswer } from '../http-error.ts'
import type { EventSink, HttpReply } from '../http-message.ts'
import { toSseText } from '../session/sse-event.ts'

/** Options of the response to a modern request. */
export interface ModernResponseOptions {
  readonly reply: HttpReply
  /** Unread bytes at which the stream is closed. */
  readonly maxBacklog: number
  /** Called when the response becomes an event stream. */
  readonly onStream: (sink: EventSink) => void
  /** Called once when the response has ended; false if the client got no result or error. */
  readonly onEnd: (isAnswered: boolean) => void
}

/** The response to one stateless request: JSON, or an event stream if other messages are sent before the result. */
export class ModernResponse implements MessageSink {
  readonly #options: ModernResponseOptions
  #sink: EventSink | undefined
  #isEnded = false

  constructor(options: ModernResponseOptions) {
    this.#options = options
  }

  send(frame: OutgoingFrame): void {
    if (this.#isEnded) return
    const isResponse = frame.kind === 'response'
    if (isResponse && this.#sink === undefined) {
      this.#options.reply.send(toJsonAnswer(frame.text, toStatus(frame.errorCode)))
      this.#end(true)
      return
    }
    const sink = (this.#sink ??= this.#openStream())
    if (sink.backlog > this.#options.maxBacklog) {
      if (frame.droppable !== true) this.#end(false)
      return
    }
    sink.write(toSseText({ event: 'message', data: frame.text }))
    if (isResponse) this.#end(true)
  }

  /** Ends the response early, as if the client had disconnected. */
  abandon(): void {
    this.#end(false)
  }

  /** The request was cancelled and gets no result. */
  withdraw(): void {
    if (!this.#isEnded && this.#sink === undefined) this.#options.reply.send({ status: 202 })
    this.#end(false)
  }

  #openStream(): EventSink {
    const sink = this.#options.reply.stream()
    this.#options.onStream(sink)
    return sink
  }

  #end(isAnswered: boolean): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#sink?.end()
    this.#options.onEnd(isAnswered)
  }
}

const STATUS_BY_ERROR: ReadonlyMap<number, number> = new Map([
  [ERROR_CODES.parseError, 400],
  [ERROR_CODES.invalidRequest, 400],
  [ERROR_CODES.headerMismatch, 400],
  [ERROR_CODES.missingClientCapability, 400],
  [ERROR_CODES.unsupportedProtocolVersion, 400],
  [ERROR_CODES.methodNotFound, 404],
])

/** The HTTP status of an error response; errors of the method itself are sent with 200. */
function toStatus(errorCode: number | undefined): number {
  return (errorCode !== undefined && STATUS_BY_ERROR.get(errorCode)) || 200
}
