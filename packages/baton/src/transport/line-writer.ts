import type { OutgoingFrame, MessageSink } from '../server/message-sink.ts'

const FLUSH_AT_LENGTH = 64 * 1024

/** The part of a Node stream that a writer needs, and the callback for back-pressure. */
export interface LineSink {
  write(text: string): boolean
  /** Characters that the reader has not read yet. */
  readonly writableLength: number
  /** The limit for `writableLength`. */
  readonly maxBacklog: number
  /** Called after a write that exceeded the limit. */
  onCongested(): void
}

/**
 * Writes frames as lines. The first frame of a tick is written at once, so that a single response is not delayed;
 * further frames of the tick share one write, because system calls dominate the cost of many responses.
 */
export class LineWriter implements MessageSink {
  readonly #sink: LineSink
  #pending = ''
  #wroteThisTick = false
  #ended = false

  constructor(sink: LineSink) {
    this.#sink = sink
  }

  send(frame: OutgoingFrame): void {
    if (this.#ended || (frame.droppable === true && this.#isCongested())) return
    if (this.#wroteThisTick) {
      this.#pending += `${frame.text}\n`
      if (this.#pending.length > FLUSH_AT_LENGTH) this.#flush()
      return
    }
    this.#wroteThisTick = true
    // Runs after all handlers that are ready have responded, within the same turn of the event loop.
    process.nextTick(() => this.#endTick())
    this.#write(`${frame.text}\n`)
  }

  /** Writes pending frames and ignores further ones. */
  end(): void {
    this.#flush()
    this.#ended = true
  }

  #endTick(): void {
    this.#wroteThisTick = false
    this.#flush()
  }

  #flush(): void {
    if (this.#pending === '' || this.#ended) return
    const text = this.#pending
    this.#pending = ''
    this.#write(text)
  }

  #write(text: string): void {
    this.#sink.write(text)
    if (this.#isCongested()) this.#sink.onCongested()
  }

  #isCongested(): boolean {
    return this.#sink.writableLength > this.#sink.maxBacklog
  }
}
