import type { IncomingMessage } from '../../../protocol/json-rpc.ts'
import type { OutgoingFrame, MessageSink } from '../../../server/message-sink.ts'
import { startOfStream } from '../../../session/event-id.ts'
import type { SessionStore } from '../../../session/session-store.ts'
import { EventWriter } from '../session/event-writer.ts'
import { toErrorAnswer, toJsonAnswer } from '../http-error.ts'
import type { EventSink, HttpReply } from '../http-message.ts'
import { type LiveSession, SESSION_ENDED } from '../session/live-session.ts'
import { LogReader } from '../session/log-reader.ts'
import type { OpenStreams } from '../session/open-streams.ts'
import { toFallbackAnswer } from '../session/fallback-answer.ts'
import { isPrimed, toPrimingText } from './priming.ts'
import { toSseText } from '../session/sse-event.ts'

/** The request, its session and where the response goes. */
export interface LegacyResponseOptions {
  readonly message: IncomingMessage
  readonly live: LiveSession
  readonly store: SessionStore
  readonly streams: OpenStreams
  readonly reply: HttpReply
  readonly protocolVersion: string
  readonly expiresAt: number | undefined
  readonly onError: (error: unknown) => void
}

/**
 * The response to one POST of a session: JSON, or an event stream if other messages are sent before the response. A stream
 * goes through the event log, so that a client that loses the connection can resume it.
 */
export class LegacyResponse implements MessageSink {
  readonly #options: LegacyResponseOptions
  #writer: EventWriter | undefined
  #sink: EventSink | undefined
  #reader: LogReader | undefined
  #isDisconnected = false
  #isSettled = false

  constructor(options: LegacyResponseOptions) {
    this.#options = options
  }

  send(frame: OutgoingFrame): void {
    // The session state must be durable before the client gets a response that depends on it.
    const { saved } = this.#options.live
    if (saved === undefined) this.#deliver(frame)
    else
      saved.then(
        () => this.#deliver(frame),
        (error: unknown) => this.#fail(error),
      )
  }

  /** Closes the connection but not the request: the client resumes the stream with the id of the last event. */
  disconnect(): void {
    if (this.#isSettled || !isPrimed(this.#options.protocolVersion)) return
    this.#isDisconnected = true
    this.#startStream()
    if (this.#reader === undefined) return
    this.#sink?.end()
    this.#reader.wake()
  }

  /** The request was cancelled and gets no response. */
  withdraw(): void {
    if (this.#isSettled) return
    this.#isSettled = true
    if (this.#writer === undefined) this.#options.reply.send({ status: 202 })
    else this.#writer.close()
  }

  #deliver(frame: OutgoingFrame): void {
    if (this.#isSettled) return
    const isResponse = frame.kind === 'response'
    if (isResponse) this.#isSettled = true
    if (isResponse && this.#writer === undefined) {
      this.#options.reply.send(toJsonAnswer(frame.text))
      return
    }
    this.#startStream().write(frame)
    if (isResponse) this.#writer?.close()
  }

  #startStream(): EventWriter {
    if (this.#writer !== undefined) return this.#writer
    const { live, store, reply, message } = this.#options
    const writer = new EventWriter(store.events, {
      sessionId: live.id,
      fallbackAnswer: toFallbackAnswer(message),
      onError: (error) => this.#fail(error),
    })
    this.#writer = writer
    this.#sink = reply.stream()
    const reading = this.#read(writer, this.#sink).catch((error: unknown) => this.#fail(error))
    const leave = live.deliveries.add(reading)
    void reading.then(leave)
    return writer
  }

  async #read(writer: EventWriter, sink: EventSink): Promise<void> {
    const { live, store, streams, reply, protocolVersion, expiresAt } = this.#options
    const streamId = await writer.streamId
    if (streamId === undefined) {
      sink.write(await this.#toSessionEndedText())
      sink.end()
      return
    }
    const after = startOfStream(streamId)
    if (isPrimed(protocolVersion)) sink.write(toPrimingText(after))
    if (this.#isDisconnected) {
      sink.end()
      return
    }
    const reader = new LogReader(store.events, sink, { sessionId: live.id, streamId, after })
    this.#reader = reader
    reply.onDisconnect(() => reader.wake())
    const release = live.holdOpen()
    const remove = streams.add({
      sink,
      expiresAt,
      onHeartbeat: () => store.touch(live.id, 'connected'),
      end: () => {
        sink.end()
        reader.wake()
      },
    })
    try {
      await reader.run(() => this.#toSessionEndedText())
    } finally {
      remove()
      release()
    }
  }

  /** The event with the error response if the session has ended, written directly because its log is gone. */
  async #toSessionEndedText(): Promise<string> {
    const { live, message } = this.#options
    if (await live.isStored()) return ''
    return toSseText({ event: 'message', data: toFallbackAnswer(message, SESSION_ENDED) })
  }

  #fail(error: unknown): void {
    this.#options.onError(error)
    this.#isSettled = true
    if (this.#sink !== undefined) this.#sink.end()
    else this.#options.reply.send(NOT_STORED)
  }
}

const NOT_STORED = toErrorAnswer({ status: 503, message: 'the response could not be stored' })
