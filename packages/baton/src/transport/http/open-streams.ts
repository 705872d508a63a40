import { toElapsed } from '../../internal/elapsed.ts'
import type { EventSink } from './http-message.ts'
import { KEEP_ALIVE_COMMENT } from './sse-event.ts'

/** One event stream that is open now. */
export interface OpenStream {
  readonly sink: EventSink
  /** Epoch milliseconds at which the caller's proof of identity runs out. */
  readonly expiresAt?: number | undefined
  /** Called with every beat, as long as the stream is open. */
  readonly onBeat?: () => void
  /** Ends the stream and whatever feeds it. */
  readonly end: () => void
}

/** How often streams are looked at. */
const BEAT_MS = 5_000
/** Timers that are to wait for longer go off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** All open event streams of a handler: keeps them alive, and ends those whose caller may no longer read. */
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

  /** Takes care of a stream until the returned function is called. */
  add(stream: OpenStream): () => void {
    this.#streams.add(stream)
    stream.onBeat?.()
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
    const timer = setInterval(() => this.#beat(), Math.min(BEAT_MS, this.#keepAliveMs))
    timer.unref?.()
    return timer
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Ends the stream in time; a clock that is set forward meanwhile is noticed by the beat. */
  #startExpiry({ expiresAt, end }: OpenStream): ReturnType<typeof setTimeout> | undefined {
    if (expiresAt === undefined) return undefined
    const left = expiresAt - this.#now()
    if (left > LONGEST_TIMER_MS) return undefined
    const timer = setTimeout(end, left)
    timer.unref?.()
    return timer
  }

  #beat(): void {
    const now = this.#now()
    const isKeepAliveDue = toElapsed(this.#lastKeepAlive, now) >= this.#keepAliveMs
    if (isKeepAliveDue) this.#lastKeepAlive = now
    for (const { sink, expiresAt, onBeat, end } of this.#streams) {
      if (expiresAt !== undefined && expiresAt <= now) end()
      if (sink.closed) continue
      onBeat?.()
      // A client with unread bytes has plenty to keep its connection busy.
      if (isKeepAliveDue && sink.backlog === 0) sink.write(KEEP_ALIVE_COMMENT)
    }
  }
}
