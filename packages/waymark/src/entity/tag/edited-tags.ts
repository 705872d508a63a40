import { tags } from '../entity.ts'
import { parse } from '../../core/input/parse.ts'

interface TagEdit {
  /** Replaces the present tags. */
  readonly replaced: readonly string[] | undefined
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** What the caller calls those to add. */
  readonly field: string
}

/** The limit is the same as for input. A longer list created by a merge is kept, but cannot grow. */
export function editedTags(
  before: readonly string[],
  { replaced, added, removed, field }: TagEdit,
): readonly string[] {
  const gone = new Set(removed)
  const after = [...new Set([...(replaced ?? before), ...added])].filter((tag) => !gone.has(tag))
  return after.length > before.length ? parse(tags, after, [field]) : after
}
