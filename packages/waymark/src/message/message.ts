import { body, oneLine, oneOf } from '../core/input/schema.ts'

export const SEVERITIES = ['info', 'warning', 'handoff', 'blocker'] as const

export const severity = oneOf(SEVERITIES)
export const subject = oneLine({ max: 200 })

/** A message is a note, not a document: what is longer belongs into an entity that the message names. */
export const LARGEST_MESSAGE = 16 * 1024
export const messageBody = body({ max: LARGEST_MESSAGE })

const LONGEST_EXCERPT = 160
const LONGEST_SUBJECT = 60

/** A message on one line: its subject, which may be the question that it answers, and the beginning of its text. */
export function toExcerpt(message: { readonly subject: string | null; readonly body: string }) {
  const [about, text] = [message.subject ?? '', message.body].map((part) =>
    part.replaceAll(/\s+/g, ' ').trim(),
  )
  const lead = about ? `${about.slice(0, LONGEST_SUBJECT)} – ` : ''
  return `${lead}${text}`.slice(0, LONGEST_EXCERPT)
}
