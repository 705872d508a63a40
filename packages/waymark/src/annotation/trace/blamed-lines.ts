import type { LineRange } from '../record.ts'
import type { FileView } from '../region/file-view.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

/** Today's lines that blame attributes to these lines of a commit. */
export function blamedLines(
  { history, uncommitted }: FileView,
  commit: CommitId,
  path: string,
  { start, end }: LineRange,
): readonly (LineRange & { readonly kept: number })[] {
  return (history?.blame ?? []).flatMap((hunk) => {
    if (hunk.commit !== commit || hunk.path !== path) return []
    const first = Math.max(hunk.originalStart, start)
    const last = Math.min(hunk.originalStart + hunk.count - 1, end)
    const shift = hunk.start - hunk.originalStart
    return first > last
      ? []
      : (uncommitted.toNewer({ start: first + shift, end: last + shift }) ?? [])
  })
}
