import { toElapsed } from '../../../internal/elapsed.ts'
import type { EventSink } from '../http-message.ts'
import { KEEP_ALIVE_COMMENT } from './sse-event.ts'

/** An open event stream. */
export interface OpenStream {
  readonly sink: EventSink
  /** Epoch milliseconds at which the caller's credentials expire. */
  readonly expiresAt?: number | undefined
  /** Called regularly while the stream is open. */
  readonly onHeartbeat?: () => void
  /** Ends the stream and its source. */
  readonly end: () => void
}

/** How often streams are checked. */
const HEARTBEAT_MS = 5_000
/** The longest delay of `setTimeout`; with a longer one it fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** All open event streams of a handler: sends keep-alives, and ends streams whose credentials have expired. */
export class OpenStreams {
  readonly #streams = new Set<OpenStream>()
  readonly #keepAliveMs: number
  readonly #now: () => number
  #timer: ReturnType<typeof setInterval> | undefined
  #lastKeepAlive = 0

  constructor(keepAliveMs: number, now: () => number) {
    this.#keepAliveMs = keepAliveMs
    this.#now = now
  }

  get size(): number {
    return this.#streams.size
  }

  /** Adds a stream and returns the function that removes it. */
  add(stream: OpenStream): () => void {
    this.#streams.add(stream)
    stream.onHeartbeat?.()
    this.#timer ??= this.#start()
    const expiry = this.#startExpiry(stream)
    return () => {
      clearTimeout(expiry)
      this.#streams.delete(stream)
      if (this.#streams.size === 0) this.#stop()
    }
  }

  endAll(): void {
    for (const stream of this.#streams) stream.end()
  }

  #start(): ReturnType<typeof setInterval> {
    const timer = setInterval(() => this.#heartbeat(), Math.min(HEARTBEAT_MS, this.#keepAliveMs))
    timer.unref?.()
    return timer
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Ends the stream when its credentials expire; the heartbeat catches a clock that is set forward. */
  #startExpiry({ expiresAt, end }: OpenStream): ReturnType<typeof setTimeout> | undefined {
    if (expiresAt === undefined) return undefined
    const left = expiresAt - this.#now()
    if (left > MAX_TIMER_MS) return undefined
    const timer = setTimeout(end, left)
    timer.unref?.()
    return timer
  }

  #heartbeat(): void {
    const now = this.#now()
    const isKeepAliveDue = toElapsed(this.#lastKeepAlive, now) >= this.#keepAliveMs
    if (isKeepAliveDue) this.#lastKeepAlive = now
    for (const { sink, expiresAt, onHeartbeat, end } of this.#streams) {
      if (expiresAt !== undefined && expiresAt <= now) end()
      if (sink.closed) continue
      onHeartbeat?.()
      // A connection with unread bytes is not idle.
      if (isKeepAliveDue && sink.backlog === 0) sink.write(KEEP_ALIVE_COMMENT)
    }
  }
}
