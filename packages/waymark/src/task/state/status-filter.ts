import * as z from 'zod'
import { toStatus } from '../../search/text/query.ts'
import { unlisted } from '../../core/input/schema.ts'

const word = z.string().overwrite((text) => toStatus(text.trim()))

/** Statuses to look for, any of which will do; as forgiving as those that can be given. */
export const statuses = z.array(word).max(10)

/** One of them: what the list was before it was a list. */
export const status = unlisted(word.optional())

export function allStatuses(given: {
  readonly status?: string | undefined
  readonly statuses: readonly string[]
}): readonly string[] {
  return given.status === undefined ? given.statuses : [...given.statuses, given.status]
}
