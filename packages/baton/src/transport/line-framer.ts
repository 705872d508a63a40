const NEWLINE = 0x0a
const INITIAL_CAPACITY = 16 * 1024

/** The callbacks of a framer. */
export interface FrameListener {
  /** One complete line without its newline; the bytes are only valid during the call. */
  onLine(line: Uint8Array): void
  /** A line exceeded the limit; `start` is its beginning, and the rest is skipped. */
  onOversized(start: Uint8Array): void
}

/**
 * Splits a stream of bytes into lines. It buffers at most one line of the maximum size:
 * a longer one is reported once, when it exceeds the limit, and skipped up to its newline.
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

  /** Ends the stream: the rest of the buffer counts as a line. */
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

  // Doubling the capacity keeps the total cost of copying linear for small chunks.
  #grow(length: number): void {
    const capacity = Math.max(length, this.#buffer.length * 2, INITIAL_CAPACITY)
    const grown = new Uint8Array(Math.min(capacity, this.#maxBytes))
    grown.set(this.#buffer.subarray(0, this.#held))
    this.#buffer = grown
  }
}
