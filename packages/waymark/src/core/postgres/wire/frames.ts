import type { SqlValue } from '../../store/sql.ts'

/** Kinds of messages. */
const [BIND, DESCRIBE, EXECUTE, PARSE, SYNC] = [0x42, 0x44, 0x45, 0x50, 0x53]

/** What is described. */
const [PORTAL, STATEMENT] = [0x50, 0x53]

/** A larger buffer is not reused: one large text must not keep its memory. */
const MOST_KEPT = 1 << 20

/** Formats of parameters. */
const TEXT = 0
const BINARY = 1

/**
 * Messages of PostgreSQL's extended query protocol, one after the other in one buffer: what is sent together is written
 * to the socket at once.
 */
export class Frames {
  #buffer = Buffer.allocUnsafe(1 << 14)
  #end = 0
  #start = 0

  parse(name: string, text: string): void {
    this.#begin(PARSE)
    this.#addText(name)
    this.#addText(text)
    // The server infers the types of all parameters.
    this.#addInt16(0)
    this.#finish()
  }

  bind(name: string, values: readonly SqlValue[]): void {
    this.#begin(BIND)
    // The portal without a name.
    this.#addByte(0)
    this.#addText(name)
    this.#addInt16(values.length)
    for (const value of values) this.#addInt16(value instanceof Uint8Array ? BINARY : TEXT)
    this.#addInt16(values.length)
    for (const value of values) this.#addValue(value)
    // All columns as text.
    this.#addInt16(0)
    this.#finish()
  }

  describeStatement(name: string): void {
    this.#begin(DESCRIBE)
    this.#addByte(STATEMENT)
    this.#addText(name)
    this.#finish()
  }

  describePortal(): void {
    this.#begin(DESCRIBE)
    this.#addByte(PORTAL)
    this.#addByte(0)
    this.#finish()
  }

  /** The portal without a name, to its last row. */
  execute(): void {
    this.#begin(EXECUTE)
    this.#addByte(0)
    this.#addInt32(0)
    this.#finish()
  }

  sync(): void {
    this.#begin(SYNC)
    this.#finish()
  }

  /** All messages since the last call. */
  take(): Buffer {
    const packet = Buffer.from(this.#buffer.subarray(0, this.#end))
    this.#end = 0
    if (this.#buffer.length > MOST_KEPT) this.#buffer = Buffer.allocUnsafe(1 << 14)
    return packet
  }

  #begin(code: number): void {
    this.#addByte(code)
    this.#start = this.#end
    this.#addInt32(0)
  }

  /** The length of a message counts itself, and not the code before it. */
  #finish(): void {
    this.#buffer.writeInt32BE(this.#end - this.#start, this.#start)
  }

  #addValue(value: SqlValue): void {
    if (value === null) this.#addInt32(-1)
    else if (value instanceof Uint8Array) {
      this.#addInt32(value.length)
      this.#reserve(value.length)
      this.#buffer.set(value, this.#end)
      this.#end += value.length
    } else {
      const text = String(value)
      const length = Buffer.byteLength(text)
      this.#addInt32(length)
      this.#write(text, length)
    }
  }

  #addText(text: string): void {
    this.#write(text, Buffer.byteLength(text))
    this.#addByte(0)
  }

  #write(text: string, length: number): void {
    this.#reserve(length)
    this.#buffer.write(text, this.#end, length)
    this.#end += length
  }

  #addByte(value: number): void {
    this.#reserve(1)
    this.#buffer[this.#end] = value
    this.#end += 1
  }

  #addInt16(value: number): void {
    this.#reserve(2)
    this.#end = this.#buffer.writeUInt16BE(value, this.#end)
  }

  #addInt32(value: number): void {
    this.#reserve(4)
    this.#end = this.#buffer.writeInt32BE(value, this.#end)
  }

  #reserve(length: number): void {
    const needed = this.#end + length
    if (needed <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#buffer.length))
    this.#buffer.copy(larger, 0, 0, this.#end)
    this.#buffer = larger
  }
}
