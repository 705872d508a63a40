import { firstCharacters } from '../support/text/visible-text.ts'

const LONGEST_EXCERPT = 160
const LONGEST_SUBJECT = 60

/** A message on one line: its subject, which may be the question that it answers, and the beginning of its text. */
export function toExcerpt(message: { readonly subject: string | null; readonly body: string }) {
  const [about, text] = [message.subject ?? '', message.body].map((part) =>
    part.replaceAll(/\s+/g, ' ').trim(),
  )
  const lead = about ? `${firstCharacters(about, LONGEST_SUBJECT)} – ` : ''
  return firstCharacters(`${lead}${text}`, LONGEST_EXCERPT)
}
