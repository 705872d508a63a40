import { deflateRawSync } from 'node:zlib'

export interface ZippedFile {
  /** With slashes. */
  readonly path: string
  readonly bytes: Buffer
}

const VERSION = 20
const UNIX = 3 << 8
const REGULAR_FILE = 0o100644
const DEFLATED = 8
const UTF8_NAMES = 1 << 11

/** A zip archive; the same bytes for the same files and time. */
export function toZip(files: readonly ZippedFile[], at: Date): Buffer {
  let offset = 0
  const parts = files.map(({ path, bytes }) => {
    const name = Buffer.from(path)
    const data = deflateRawSync(bytes, { level: 9 })
    // What both the entry and the directory have: from the version needed to the length of the extra field.
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(VERSION, 0)
    facts.writeUInt16LE(UTF8_NAMES, 2)
    facts.writeUInt16LE(DEFLATED, 4)
    facts.writeUInt32LE(toDosTime(at), 6)
    facts.writeUInt32LE(crc32(bytes), 10)
    facts.writeUInt32LE(data.length, 14)
    facts.writeUInt32LE(bytes.length, 18)
    facts.writeUInt16LE(name.length, 22)
    const entry = Buffer.concat([Buffer.from('PK\x03\x04'), facts, name, data])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE((REGULAR_FILE << 16) >>> 0, 6)
    rest.writeUInt32LE(offset, 10)
    offset += entry.length
    const madeBy = Buffer.from([VERSION, UNIX >> 8])
    return { entry, listed: Buffer.concat([Buffer.from('PK\x01\x02'), madeBy, facts, rest, name]) }
  })
  const directory = Buffer.concat(parts.map(({ listed }) => listed))
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.length, 4)
  end.writeUInt16LE(files.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([
    ...parts.map(({ entry }) => entry),
    directory,
    Buffer.from('PK\x05\x06'),
    end,
  ])
}

/** Date in the upper half, time in the lower. */
function toDosTime(at: Date): number {
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  return ((date << 16) | time) >>> 0
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** `zlib.crc32` is of a later Node. */
function crc32(bytes: Uint8Array): number {
  let value = 0xffffffff
  for (const byte of bytes) value = (TABLE[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8)
  return (value ^ 0xffffffff) >>> 0
}
