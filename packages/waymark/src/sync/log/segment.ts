import { createHash } from 'node:crypto'
import { FULL_SEGMENT, LINE_LIMITS, SEGMENT_LIMITS } from './limits.ts'
import { checkLine, type LogLine, type RefusedLine } from './log-line.ts'

/** A file of the log. Content-addressed and immutable. */
export interface Segment {
  readonly name: string
  readonly text: string
}

export interface ParsedSegment {
  readonly lines: readonly LogLine[]
  /** Lines that are whole and break a limit. */
  readonly refused: readonly RefusedLine[]
  /** Lines that are cut off, altered or not ours. */
  readonly damaged: number
  /** The whole file is as it was written. */
  readonly isIntact: boolean
}

const NAME = /^[0-9a-f]{32}\.jsonl$/

export function isSegmentName(name: string): boolean {
  return NAME.test(name)
}

/** Puts lines into as many segments as they need. */
export function* toSegments(lines: Iterable<string>): Generator<Segment> {
  let open: string[] = []
  let size = 0
  for (const line of lines) {
    open.push(`${line}\n`)
    size += line.length
    if (size < FULL_SEGMENT) continue
    yield toSegment(open.join(''))
    open = []
    size = 0
  }
  if (open.length > 0) yield toSegment(open.join(''))
}

function toSegment(text: string): Segment {
  return { name: nameOf(text), text }
}

/** Keeps every valid record, also between damaged ones. */
export function parseSegment(name: string, text: string): ParsedSegment {
  const given = text.split('\n').filter((line) => line !== '')
  const lines: LogLine[] = []
  const refused: RefusedLine[] = []
  let damaged = 0
  for (const line of given) {
    const record = checkLine(line)
    const found =
      record === undefined ? findRecords(line) : { records: [record], length: line.length }
    for (const each of found.records) {
      if ('reason' in each) refused.push(each)
      else lines.push(each)
    }
    if (found.length < line.length) damaged += 1
  }
  return { lines, refused, damaged, isIntact: nameOf(text) === name }
}

/** Whether it is larger than anything that `toSegments` makes of lines that may be written. */
export function isTooLarge(text: string): boolean {
  const last = text.lastIndexOf('\n', text.length - 2)
  return Buffer.byteLength(text.slice(0, last + 1)) > SEGMENT_LIMITS.beforeLast
}

const BEGIN = '{"e":"'
const END = /,"h":"[0-9a-f]{32}"\}/g
/** Bounds the attempts, each of which scans the text, because the line is untrusted. */
const MOST_TRIES = 64

interface FoundRecords {
  readonly records: readonly (LogLine | RefusedLine)[]
  /** Characters of the line that are part of one. */
  readonly length: number
}

/**
 * Recovers intact records from an invalid line: a lost line end joined two records, or a truncated record precedes an
 * intact one. A candidate start may be part of a text; the seal decides.
 */
function findRecords(line: string): FoundRecords {
  const records: (LogLine | RefusedLine)[] = []
  let length = 0
  let from = 0
  let tries = 0
  for (const { index, 0: seal } of line.matchAll(END)) {
    const end = index + seal.length
    for (let begin = line.indexOf(BEGIN, from); begin !== -1 && begin < end;) {
      if (end - begin > LINE_LIMITS.bytes || (tries += 1) > MOST_TRIES) return { records, length }
      const record = checkLine(line.slice(begin, end))
      if (record !== undefined) {
        records.push(record)
        length += end - begin
        from = end
        break
      }
      begin = line.indexOf(BEGIN, begin + 1)
    }
  }
  return { records, length }
}

function nameOf(text: string): string {
  return `${createHash('sha256').update(text).digest('hex').slice(0, 32)}.jsonl`
}
