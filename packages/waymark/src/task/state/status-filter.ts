import * as z from 'zod'
import { toStatus } from '../../search/text/query.ts'
import { unlisted } from '../../core/input/schema.ts'

const word = z.string().overwrite((text) => toStatus(text.trim()))

/** Status filter, any of which matches; as lenient as status input. */
export const statuses = z.array(word).max(10)

/** One of them: what the list was before it was a list. */
export const status = unlisted(word.optional())

export function allStatuses(given: {
  readonly status?: string | undefined
  readonly statuses: readonly string[]
}): readonly string[] {
  return given.status === undefined ? given.statuses : [...given.statuses, given.status]
}
