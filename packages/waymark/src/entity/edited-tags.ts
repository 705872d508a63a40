import { tags } from './entity.ts'
import { parse } from '../core/input/parse.ts'

interface TagEdit {
  /** Instead of those that there are. */
  readonly replaced: readonly string[] | undefined
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** What the caller calls those to add. */
  readonly field: string
}

/** As many as may be given at once may be there. A longer list that a merge has made stays, but grows no more. */
export function editedTags(
  before: readonly string[],
  { replaced, added, removed, field }: TagEdit,
): readonly string[] {
  const gone = new Set(removed)
  const after = [...new Set([...(replaced ?? before), ...added])].filter((tag) => !gone.has(tag))
  return after.length > before.length ? parse(tags, after, [field]) : after
}
