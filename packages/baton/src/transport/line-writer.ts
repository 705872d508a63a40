import type { OutgoingFrame, Outlet } from '../server/outlet.ts'

const FLUSH_AT_LENGTH = 64 * 1024

/** The part of a Node stream that a writer needs, and who to tell when its reader falls behind. */
export interface LineSink {
  write(text: string): boolean
  /** Characters that were written but not yet taken by the reader. */
  readonly writableLength: number
  /** How many of those are too many. */
  readonly maxBacklog: number
  /** Called after a write that left too many. */
  onCongested(): void
}

/**
 * Writes frames as lines. The first frame of a tick goes out at once, so that a single reply is not
 * late; the others of the tick share one write, because system calls are what many replies cost.
 */
export class LineWriter implements Outlet {
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
    // Runs when all handlers that are ready have answered, without a further turn of the event loop.
    process.nextTick(() => this.#endTick())
    this.#write(`${frame.text}\n`)
  }

  /** Writes what is pending and takes nothing more. */
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
