import * as z from 'zod'

const FORMAT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/

/** A point in time: an ISO 8601 time with its zone, or a date, which means its first moment in UTC. */
export const moment = z
  .string()
  .trim()
  .check((payload) => {
    if (parseMoment(payload.value) !== undefined) return
    const message = 'must be a date like 2026-11-15 or a time like 2026-11-15T09:00:00Z'
    payload.issues.push({
      code: 'custom',
      message,
      params: {
        rule: 'bad_format',
        message,
        facts: { format: 'date-time', value: payload.value.slice(0, 100) },
      },
      input: payload.value,
    })
  })

/** Milliseconds since 1970, or undefined if the text is no point in time. */
export function parseMoment(text: string): number | undefined {
  if (!FORMAT.test(text)) return undefined
  const time = Date.parse(text.length === 10 ? `${text}T00:00:00Z` : text)
  if (Number.isNaN(time)) return undefined
  // Date.parse rolls 31 February over into March; a real date survives the round trip.
  const day = Date.parse(`${text.slice(0, 10)}T00:00:00Z`)
  return new Date(day).toISOString().startsWith(text.slice(0, 10)) ? time : undefined
}

export function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
