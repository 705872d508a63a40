import { firstCharacters } from '../../support/text/visible-text.ts'
import {
  CLONE,
  type Fields,
  isCount,
  isName,
  isText,
  LATEST_TIME,
  matches,
  TASK,
} from './values.ts'

/** A message between the clones of one person: to that person, or that person's answer. */
export interface CarriedMessage {
  /** The clone that has it first, and its number there. */
  readonly clone: string
  readonly number: number
  /** Whose clones it is for. */
  readonly person: string
  /** The name of the agent, or of the person. */
  readonly from: string
  /** Empty if it is about none. */
  readonly task: string
  readonly severity: string
  readonly subject: string
  readonly body: string
  /** By the clock of that clone. */
  readonly at: number
  /** Of an answer: the question, in the clone that has it first. */
  readonly answers?: { readonly clone: string; readonly number: number }
  /** Since when it needs no answer any more; its text is gone. */
  readonly closed?: number
}

const LONGEST_BODY = 4096
const LONGEST_SUBJECT = 800
const SEVERITY = /^[a-z]{1,20}$/
const HIGHEST_NUMBER = 2 ** 40
const CUT = '\n… (cut; the whole text is in the clone where it was written)'

export function keyOfCarried({ clone, number }: Pick<CarriedMessage, 'clone' | 'number'>): string {
  return `${clone} ${number}`
}

/** As much of a text as is carried. */
export function toCarriedBody(body: string): string {
  if (Buffer.byteLength(body) <= LONGEST_BODY) return body
  // A character has at most four bytes.
  let kept = firstCharacters(body, LONGEST_BODY - Buffer.byteLength(CUT))
  while (Buffer.byteLength(kept + CUT) > LONGEST_BODY) {
    kept = firstCharacters(kept, Math.floor(Array.from(kept).length * 0.8))
  }
  return kept + CUT
}

/** Undefined for a line that breaks a rule. */
export function toCarried(fields: Fields): CarriedMessage | undefined {
  const { clone, number, person, from, task, severity, subject, body, at, answers, closed } = fields
  const isValid =
    matches(clone, CLONE) &&
    isCount(number, HIGHEST_NUMBER) &&
    isName(person) &&
    person !== '' &&
    isName(from) &&
    (task === '' || matches(task, TASK)) &&
    matches(severity, SEVERITY) &&
    isText(subject, LONGEST_SUBJECT) &&
    !/\p{C}/u.test(subject) &&
    isText(body, LONGEST_BODY) &&
    isCount(at, LATEST_TIME)
  if (!isValid) return undefined
  const question = answers === undefined ? undefined : toQuestion(answers)
  if (answers !== undefined && question === undefined) return undefined
  if (closed !== undefined && !isCount(closed, LATEST_TIME)) return undefined
  return {
    clone,
    number,
    person,
    from,
    task: task as string,
    severity,
    subject,
    body,
    at,
    ...(question !== undefined && { answers: question }),
    ...(closed !== undefined && { closed }),
  }
}

function toQuestion(value: unknown): CarriedMessage['answers'] {
  if (typeof value !== 'object' || value === null) return undefined
  const { clone, number } = value as Fields
  return matches(clone, CLONE) && isCount(number, HIGHEST_NUMBER) ? { clone, number } : undefined
}
