import type { LineRange } from '../record.ts'
import type { FileView } from '../region/file-view.ts'
import type { Blame, BlameHunk } from '../../git/history/blame.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

const BY_COMMIT = new WeakMap<Blame, ReadonlyMap<CommitId, Blame>>()

/** Indexed once for all annotations of a file: both can be thousands. */
function hunksOf(blame: Blame, commit: CommitId): Blame {
  const known = BY_COMMIT.get(blame) ?? groupByCommit(blame)
  BY_COMMIT.set(blame, known)
  return known.get(commit) ?? []
}

function groupByCommit(blame: Blame): ReadonlyMap<CommitId, Blame> {
  const groups = new Map<CommitId, BlameHunk[]>()
  for (const hunk of blame) {
    const group = groups.get(hunk.commit)
    if (group === undefined) groups.set(hunk.commit, [hunk])
    else group.push(hunk)
  }
  return groups
}

/** Today's lines that blame attributes to these lines of a commit. */
export function blamedLines(
  { history, uncommitted }: FileView,
  commit: CommitId,
  path: string,
  { start, end }: LineRange,
): readonly (LineRange & { readonly kept: number })[] {
  return hunksOf(history?.blame ?? [], commit).flatMap((hunk) => {
    if (hunk.path !== path) return []
    const first = Math.max(hunk.originalStart, start)
    const last = Math.min(hunk.originalStart + hunk.count - 1, end)
    const shift = hunk.start - hunk.originalStart
    return first > last
      ? []
      : (uncommitted.toNewer({ start: first + shift, end: last + shift }) ?? [])
  })
}
