/** One message of PostgreSQL's protocol, with its type and length in front. */
export interface Frame {
  readonly type: string
  readonly bytes: Buffer
}

/** Cuts a stream of bytes into messages. */
export class FrameCutter {
  #rest: Buffer = Buffer.alloc(0)

  cut(chunk: Buffer): Frame[] {
    const frames: Frame[] = []
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    while (this.#rest.length >= 5) {
      const length = 1 + this.#rest.readInt32BE(1)
      if (this.#rest.length < length) break
      const bytes = this.#rest.subarray(0, length)
      this.#rest = this.#rest.subarray(length)
      frames.push({ type: String.fromCodePoint(bytes[0] ?? 0), bytes })
    }
    return frames
  }
}

export function toFrame(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(4 + body.length, 1)
  return Buffer.concat([head, body])
}

/** The first message of a connection, which has no type. */
export function toStartup(facts: Readonly<Record<string, string>>): Buffer {
  const words = Object.entries(facts).flat()
  const body = Buffer.from(`${words.join('\0')}\0\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(8 + body.length, 0)
  head.writeInt32BE(0x3_00_00, 4)
  return Buffer.concat([head, body])
}
