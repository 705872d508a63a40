import { StudioError } from '../error.ts'
import { toText, toView } from './riff.ts'

/** Bytes of one record in each table of a SoundFont. */
const RECORD_BYTES = {
  phdr: 38,
  pbag: 4,
  pgen: 4,
  inst: 22,
  ibag: 4,
  igen: 4,
  shdr: 46,
} as const
export type TableName = keyof typeof RECORD_BYTES

/** Tables point into each other with 16 bits, so that nothing could reach a later record. */
const MOST_RECORDS = 65_536
const NAME_BYTES = 20

/** A table of records of one size; the last record is only there to say where the one before it ends. */
export interface Table {
  readonly name: TableName
  /** Without the last. */
  readonly count: number
  /** A number of a record, at a place within it. */
  readonly word: (index: number, at: number) => number
  readonly long: (index: number, at: number) => number
  readonly byte: (index: number, at: number) => number
  /** What the record is called. */
  readonly title: (index: number) => string
}

/** Finds a table and makes sure that it consists of whole records. */
export function openTable(chunks: ReadonlyMap<string, Uint8Array>, name: TableName): Table {
  const bytes = chunks.get(name)
  if (bytes === undefined) throw new StudioError(`the SoundFont has no chunk ${name}`)
  const size = RECORD_BYTES[name]
  if (bytes.length === 0 || bytes.length % size !== 0)
    throw new StudioError(
      `chunk ${name} of the SoundFont has ${bytes.length} bytes; it must be made of records of ${size} bytes`,
    )
  const records = bytes.length / size
  if (records > MOST_RECORDS)
    throw new StudioError(
      `chunk ${name} of the SoundFont has ${records} records; at most ${MOST_RECORDS} can be reached`,
    )
  const view = toView(bytes)
  return {
    name,
    count: records - 1,
    word: (index, at) => view.getUint16(index * size + at, true),
    long: (index, at) => view.getUint32(index * size + at, true),
    byte: (index, at) => view.getUint8(index * size + at),
    title: (index) => toText(bytes.subarray(index * size, index * size + NAME_BYTES)),
  }
}

/** From where to where the records of another table belong to a record of this one. */
export function span(table: Table, index: number, to: { at: number; other: Table }): Span {
  const { at, other } = to
  const from = table.word(index, at)
  const end = table.word(index + 1, at)
  if (from > end)
    throw new StudioError(
      `record ${index} of ${table.name} in the SoundFont begins at ${other.name} ${from} and ends before it, at ${end}`,
    )
  if (end > other.count)
    throw new StudioError(
      `record ${index} of ${table.name} in the SoundFont points to ${other.name} ${end}, and there are ${other.count}`,
    )
  return { from, end }
}

export interface Span {
  readonly from: number
  /** The first that does not belong. */
  readonly end: number
}
