const NEWLINE = 0x0a
const FIRST_CAPACITY = 16 * 1024

/** What a framer tells its owner about. */
export interface FrameListener {
  /** One complete line without its newline; the bytes are only valid during the call. */
  onLine(line: Uint8Array): void
  /** A line passed the limit; `start` is how it began, and the rest is being skipped. */
  onOversized(start: Uint8Array): void
}

/**
 * Cuts a stream of bytes into lines. It never holds more than one line of the allowed size:
 * a longer one is reported once, when it passes the limit, and skipped up to its newline.
 */
export class LineFramer {
  readonly #maxBytes: number
  readonly #listener: FrameListener
  #buffer: Uint8Array = new Uint8Array(0)
  #held = 0
  #skipping = false

  constructor(maxBytes: number, listener: FrameListener) {
    this.#maxBytes = maxBytes
    this.#listener = listener
  }

  push(chunk: Uint8Array): void {
    let start = 0
    let end = chunk.indexOf(NEWLINE)
    while (end !== -1) {
      this.#endLine(chunk.subarray(start, end))
      start = end + 1
      end = chunk.indexOf(NEWLINE, start)
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start))
  }

  /** Takes what is left, when the stream ends, for a line. */
  end(): void {
    if (this.#held > 0) this.#endLine(new Uint8Array(0))
  }

  #endLine(tail: Uint8Array): void {
    if (this.#held === 0 && !this.#skipping && tail.length <= this.#maxBytes) {
      this.#listener.onLine(tail)
      return
    }
    this.#hold(tail)
    const line = this.#skipping ? undefined : this.#buffer.subarray(0, this.#held)
    this.#held = 0
    this.#skipping = false
    if (line === undefined) return
    this.#buffer = new Uint8Array(0)
    this.#listener.onLine(line)
  }

  #hold(part: Uint8Array): void {
    if (this.#skipping) return
    const length = this.#held + part.length
    if (length > this.#maxBytes) {
      const start = this.#held > 0 ? this.#buffer.subarray(0, this.#held) : part
      this.#skipping = true
      this.#buffer = new Uint8Array(0)
      this.#held = 0
      this.#listener.onOversized(start)
      return
    }
    if (length > this.#buffer.length) this.#grow(length)
    this.#buffer.set(part, this.#held)
    this.#held = length
  }

  // Doubling keeps the copying linear however small the chunks are.
  #grow(length: number): void {
    const capacity = Math.max(length, this.#buffer.length * 2, FIRST_CAPACITY)
    const grown = new Uint8Array(Math.min(capacity, this.#maxBytes))
    grown.set(this.#buffer.subarray(0, this.#held))
    this.#buffer = grown
  }
}
