import { ERROR_CODES } from '../../protocol/error.ts'
import type { OutgoingFrame, Outlet } from '../../server/outlet.ts'
import { toJsonAnswer } from './http-error.ts'
import type { EventSink, HttpReply } from './http-message.ts'
import { toSseText } from './sse-event.ts'

/** How a modern request's answer is carried. */
export interface ModernExchangeOptions {
  readonly reply: HttpReply
  /** Bytes a client may leave unread before its stream is cut. */
  readonly maxBacklog: number
  /** Called when an event stream begins. */
  readonly onStream: (sink: EventSink) => void
  /** Called once when the exchange has ended; false means that the client did not get an answer. */
  readonly onEnd: (isAnswered: boolean) => void
}

/** One stateless request and what comes back: JSON, or an event stream if something is said before the answer. */
export class ModernExchange implements Outlet {
  readonly #options: ModernExchangeOptions
  #sink: EventSink | undefined
  #isOver = false

  constructor(options: ModernExchangeOptions) {
    this.#options = options
  }

  send(frame: OutgoingFrame): void {
    if (this.#isOver) return
    const isAnswer = frame.kind === 'response'
    if (isAnswer && this.#sink === undefined) {
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
    if (isAnswer) this.#end(true)
  }

  /** Ends the exchange in the middle, as if the client had hung up. */
  abandon(): void {
    this.#end(false)
  }

  /** The request was cancelled and gets no answer. */
  withdraw(): void {
    if (!this.#isOver && this.#sink === undefined) this.#options.reply.send({ status: 202 })
    this.#end(false)
  }

  #openStream(): EventSink {
    const sink = this.#options.reply.stream()
    this.#options.onStream(sink)
    return sink
  }

  #end(isAnswered: boolean): void {
    if (this.#isOver) return
    this.#isOver = true
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

/** The status for an answer that is an error; most errors are the method's own and no concern of HTTP. */
function toStatus(errorCode: number | undefined): number {
  return (errorCode !== undefined && STATUS_BY_ERROR.get(errorCode)) || 200
}
