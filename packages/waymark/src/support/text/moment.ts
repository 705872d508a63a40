import type { Violation } from '../../core/input/parse.ts'

const FORMAT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/

/** Milliseconds since 1970, or undefined if the text is neither a date nor a time with its zone. */
export function parseMoment(text: string): number | undefined {
  if (!FORMAT.test(text)) return undefined
  const time = Date.parse(text.length === 10 ? `${text}T00:00:00Z` : text)
  if (Number.isNaN(time)) return undefined
  // Date.parse rolls 31 February over into March; a real date survives the round trip.
  const day = Date.parse(`${text.slice(0, 10)}T00:00:00Z`)
  return new Date(day).toISOString().startsWith(text.slice(0, 10)) ? time : undefined
}

export function momentViolation(text: string): Violation | undefined {
  if (parseMoment(text) !== undefined) return undefined
  return {
    rule: 'bad_format',
    message: 'must be a date like 2026-11-15 or a time like 2026-11-15T09:00:00Z',
    facts: { format: 'date-time', value: text.slice(0, 100) },
  }
}

export function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
