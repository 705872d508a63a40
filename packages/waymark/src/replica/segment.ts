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

/** Keeps every line that is whole, wherever it stands and whatever stands around it. */
export function parseSegment(name: string, text: string): ParsedSegment {
  const given = text.split('\n').filter((line) => line !== '')
  const lines = given.filter((line) => line.length <= LONGEST_LINE).map(parseLine)
  const whole = lines.filter((line) => line !== undefined)
  return { lines: whole, damaged: given.length - whole.length, isIntact: nameOf(text) === name }
}

function nameOf(text: string): string {
  return `${createHash('sha256').update(text).digest('hex').slice(0, 32)}.jsonl`
}
