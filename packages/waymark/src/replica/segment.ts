import { createHash } from 'node:crypto'
import { type LogLine, LONGEST_LINE, parseLine } from './log-line.ts'

/** A file of the log. Its name follows from its content, so it is never changed and never means two things. */
export interface Segment {
  readonly name: string
  readonly text: string
}

export interface ParsedSegment {
  readonly lines: readonly LogLine[]
  /** Lines that are cut off, altered or not ours. */
  readonly damaged: number
  /** The whole file is as it was written. */
  readonly isIntact: boolean
}

/** A segment is closed when it has grown so large. */
const FULL_SIZE = 1024 * 1024

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
    if (size < FULL_SIZE) continue
    yield toSegment(open.join(''))
    open = []
    size = 0
  }
  if (open.length > 0) yield toSegment(open.join(''))
}

function toSegment(text: string): Segment {
  return { name: nameOf(text), text }
}

/** Keeps every record that is whole, wherever it stands and whatever stands around it. */
export function parseSegment(name: string, text: string): ParsedSegment {
  const given = text.split('\n').filter((line) => line !== '')
  const records: LogLine[] = []
  let damaged = 0
  for (const line of given) {
    const record = line.length <= LONGEST_LINE ? parseLine(line) : undefined
    const found = record === undefined ? findRecords(line) : [record]
    records.push(...found)
    if (found.reduce((length, { text }) => length + text.length, 0) < line.length) damaged += 1
  }
  return { lines: records, damaged, isIntact: nameOf(text) === name }
}

const BEGIN = '{"e":"'
const END = /,"h":"[0-9a-f]{32}"\}/g
/** Each try reads the text between, and the line may come from anybody. */
const MOST_TRIES = 64

/**
 * The whole records in a line that is none: a line end was lost, so that two stand in one line, or a record that was cut
 * off stands before a whole one. What looks like a beginning may be part of a text; the seal tells.
 */
function findRecords(line: string): LogLine[] {
  const found: LogLine[] = []
  let from = 0
  let tries = 0
  for (const { index, 0: seal } of line.matchAll(END)) {
    const end = index + seal.length
    for (let begin = line.indexOf(BEGIN, from); begin !== -1 && begin < end;) {
      if (end - begin > LONGEST_LINE || (tries += 1) > MOST_TRIES) return found
      const record = parseLine(line.slice(begin, end))
      if (record !== undefined) {
        found.push(record)
        from = end
        break
      }
      begin = line.indexOf(BEGIN, begin + 1)
    }
  }
  return found
}

function nameOf(text: string): string {
  return `${createHash('sha256').update(text).digest('hex').slice(0, 32)}.jsonl`
}
