import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'

/** The kinds of objects that Waymark writes, by their number in a pack. */
const TYPES = { commit: 1, tree: 2, blob: 3 } as const

export interface NewObject {
  readonly id: string
  readonly type: keyof typeof TYPES
  readonly content: Buffer
}

export interface PackStream {
  /** Git names the files of a pack after this. */
  readonly checksum: string
  readonly bytes: Buffer
}

/** The hash algorithm of a repository. */
export type ObjectFormat = 'sha1' | 'sha256'

export function toObject(
  format: ObjectFormat,
  type: NewObject['type'],
  content: Buffer | string,
): NewObject {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content
  const id = createHash(format).update(`${type} ${bytes.length}\0`).update(bytes).digest('hex')
  return { id, type, content: bytes }
}

/** Version 2 of the pack format, without deltas. Another `level` gives the same objects another checksum. */
export function toPack(
  format: ObjectFormat,
  objects: readonly NewObject[],
  level: number,
): PackStream {
  const header = Buffer.alloc(12)
  header.write('PACK')
  header.writeUInt32BE(2, 4)
  header.writeUInt32BE(objects.length, 8)
  const entries = objects.flatMap(({ type, content }) => [
    entryHeader(type, content.length),
    deflateSync(content, { level }),
  ])
  const body = Buffer.concat([header, ...entries])
  const checksum = createHash(format).update(body).digest()
  return { checksum: checksum.toString('hex'), bytes: Buffer.concat([body, checksum]) }
}

/** Type and size: four bits of the size beside the type, then seven in each byte; the high bit says that more follow. */
function entryHeader(type: NewObject['type'], size: number): Buffer {
  const bytes: number[] = []
  let current = (TYPES[type] << 4) | (size & 0x0f)
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.push(current | 0x80)
    current = rest & 0x7f
  }
  return Buffer.from([...bytes, current])
}
