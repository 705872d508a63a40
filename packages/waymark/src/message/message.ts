import { body, oneLine, oneOf } from '../core/input/schema.ts'

export const SEVERITIES = ['info', 'warning', 'handoff', 'blocker'] as const

export const severity = oneOf(SEVERITIES)
export const subject = oneLine({ max: 200 })

/** A message is a note, not a document: what is longer belongs into an entity that the message names. */
export const LARGEST_MESSAGE = 16 * 1024
export const messageBody = body({ max: LARGEST_MESSAGE })
