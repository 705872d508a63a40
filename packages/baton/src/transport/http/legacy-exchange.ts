import type { IncomingMessage } from '../../protocol/json-rpc.ts'
import type { OutgoingFrame, Outlet } from '../../server/outlet.ts'
import { startOfStream } from '../../session/event-id.ts'
import type { SessionStore } from '../../session/session-store.ts'
import { EventWriter } from './event-writer.ts'
import { toErrorAnswer, toJsonAnswer } from './http-error.ts'
import type { EventSink, HttpReply } from './http-message.ts'
import { type LiveSession, SESSION_ENDED } from './live-session.ts'
import { LogReader } from './log-reader.ts'
import type { OpenStreams } from './open-streams.ts'
import { toLastWill } from './last-will.ts'
import { isPrimed, toPrimingText } from './priming.ts'
import { toSseText } from './sse-event.ts'

/** What an exchange is part of. */
export interface LegacyExchangeParts {
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
 * One POST of a session and what comes back. The answer is plain JSON unless something has to be said before it; then
 * everything goes through the event log, so that a client that loses the connection can fetch the rest.
 */
export class LegacyExchange implements Outlet {
  readonly #parts: LegacyExchangeParts
  #writer: EventWriter | undefined
  #sink: EventSink | undefined
  #reader: LogReader | undefined
  #isDisconnected = false
  #isOver = false

  constructor(parts: LegacyExchangeParts) {
    this.#parts = parts
  }

  send(frame: OutgoingFrame): void {
    // What the client is told must not be forgotten by a restart, so what it agreed to is stored first.
    const { saved } = this.#parts.live
    if (saved === undefined) this.#deliver(frame)
    else
      saved.then(
        () => this.#deliver(frame),
        (error: unknown) => this.#fail(error),
      )
  }

  /** Lets the client go, but not the request: it comes back for the answer with the id of the last event. */
  disconnect(): void {
    if (this.#isOver || !isPrimed(this.#parts.protocolVersion)) return
    this.#isDisconnected = true
    this.#startStream()
    if (this.#reader === undefined) return
    this.#sink?.end()
    this.#reader.stir()
  }

  /** The request was cancelled and gets no answer. */
  withdraw(): void {
    if (this.#isOver) return
    this.#isOver = true
    if (this.#writer === undefined) this.#parts.reply.send({ status: 202 })
    else this.#writer.close()
  }

  #deliver(frame: OutgoingFrame): void {
    if (this.#isOver) return
    const isAnswer = frame.kind === 'response'
    if (isAnswer) this.#isOver = true
    if (isAnswer && this.#writer === undefined) {
      this.#parts.reply.send(toJsonAnswer(frame.text))
      return
    }
    this.#startStream().write(frame)
    if (isAnswer) this.#writer?.close()
  }

  #startStream(): EventWriter {
    if (this.#writer !== undefined) return this.#writer
    const { live, store, reply, message } = this.#parts
    const writer = new EventWriter(store.events, {
      sessionId: live.id,
      lastWill: toLastWill(message),
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
    const { live, store, streams, reply, protocolVersion, expiresAt } = this.#parts
    const streamId = await writer.streamId
    if (streamId === undefined) {
      sink.write(await this.#toLastWord())
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
    reply.onGone(() => reader.stir())
    const release = live.holdOpen()
    const remove = streams.add({
      sink,
      expiresAt,
      onBeat: () => store.touch(live.id, 'connected'),
      end: () => {
        sink.end()
        reader.stir()
      },
    })
    try {
      await reader.run(() => this.#toLastWord())
    } finally {
      remove()
      release()
    }
  }

  /** A log that is gone with its session cannot carry the answer, so that this goes past it. */
  async #toLastWord(): Promise<string> {
    const { live, message } = this.#parts
    if (await live.isStored()) return ''
    return toSseText({ event: 'message', data: toLastWill(message, SESSION_ENDED) })
  }

  #fail(error: unknown): void {
    this.#parts.onError(error)
    this.#isOver = true
    if (this.#sink !== undefined) this.#sink.end()
    else
      this.#parts.reply.send(
        toErrorAnswer({ status: 503, message: 'the answer could not be kept' }),
      )
  }
}
