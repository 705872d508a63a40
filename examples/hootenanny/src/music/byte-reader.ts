/** Reads bytes from front to back; reading beyond the end is a `RangeError`. */
export class ByteReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  get length(): number {
    return this.#bytes.length
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  /** The next byte, which stays the next. */
  peek(): number {
    const byte = this.#bytes[this.#at]
    if (byte === undefined) throw new RangeError('there are no more bytes')
    return byte
  }

  /** A number of so many bytes, the highest first. */
  number(size: number): number {
    let value = 0
    for (let count = 0; count < size; count += 1) {
      value = value * 256 + this.peek()
      this.#at += 1
    }
    return value
  }

  /** A number of variable length: at most four bytes with seven bits each. */
  quantity(): number {
    let value = 0
    for (let count = 0; count < 4; count += 1) {
      const byte = this.number(1)
      value = value * 128 + (byte & 0x7f)
      if (byte < 0x80) return value
    }
    throw new RangeError('a number does not end')
  }

  /** So many bytes as text. */
  text(size: number): string {
    return new TextDecoder().decode(this.#take(size))
  }

  /** So many bytes with a reader of their own. */
  part(size: number): ByteReader {
    return new ByteReader(this.#take(size))
  }

  #take(size: number): Uint8Array {
    const end = this.#at + size
    if (end > this.#bytes.length) throw new RangeError('there are not enough bytes')
    const taken = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return taken
  }
}
