import * as z from 'zod'
import type { CommitId } from '../../git/history/commit-id.ts'
import { type Commit, subjectOf } from '../../git/history/commits.ts'
import type { LineRange } from '../record.ts'
import type { FileView } from './file-view.ts'
import type { Code } from '../write/open-code.ts'

export const namedCommit = z.object({
  commit: z.string(),
  subject: z.string(),
  author: z.string(),
  at: z.string(),
})

export const blamedRanges = z
  .array(
    z.object({
      start: z.int(),
      end: z.int(),
      commit: z.string().optional().describe('Absent where the lines are not committed'),
      path: z.string().optional().describe('Name of the file in that commit, if it was another'),
    }),
  )
  .describe('Which commit last changed which of the lines, from the first to the last')

type Blamed = z.output<typeof blamedRanges>[number]

export function toNamedCommit(commit: Commit): z.output<typeof namedCommit> {
  const { id, author, at } = commit
  return { commit: id, subject: subjectOf(commit), author, at: new Date(at).toISOString() }
}

/** Who last changed these lines of a file, as Git has it. */
export async function blameOf({ repository }: Code, view: FileView, lines: LineRange) {
  const blame = toRanges(view, lines)
  const ids = new Set(blame.flatMap(({ commit }) => commit ?? []))
  const commits = await repository.commits.getAll([...ids])
  return { blame, commits: commits.toSorted((a, b) => b.at - a.at).map(toNamedCommit) }
}

/** Neighbouring lines of one commit together. */
function toRanges({ path, file, history, uncommitted }: FileView, { start, end }: LineRange) {
  const writers = writersOf(history?.blame ?? [])
  const isChanged = file.blob !== file.committed?.blob
  const ranges: (Blamed & { commit?: CommitId })[] = []
  for (let line = start; line <= end; line += 1) {
    const here = { start: line, end: line }
    const committed = isChanged ? uncommitted.toOlder(here) : here
    const writer = committed && writers[committed.start]
    const last = ranges.at(-1)
    if (last !== undefined && last.commit === writer?.commit) last.end = line
    else {
      const { commit, path: name } = writer ?? {}
      ranges.push({
        start: line,
        end: line,
        ...(commit !== undefined && { commit }),
        ...(name !== undefined && name !== path && { path: name }),
      })
    }
  }
  return ranges
}

type Hunks = NonNullable<FileView['history']>['blame']

/** By line of the last commit. */
function writersOf(blame: Hunks): readonly (Hunks[number] | undefined)[] {
  const writers: Hunks[number][] = []
  for (const hunk of blame)
    for (let at = 0; at < hunk.count; at += 1) writers[hunk.start + at] = hunk
  return writers
}
