import type { GitCalls } from '../../git/repository.ts'
import { type CommitId, toCommitId } from '../../git/history/commit-id.ts'

/** The files that each of these commits added or changed, in the folder `prefix`; one git process for all of them. */
export async function changedFiles(
  repository: GitCalls,
  commits: readonly CommitId[],
  prefix = '',
): Promise<ReadonlyMap<CommitId, readonly string[]>> {
  if (commits.length === 0) return new Map()
  const listed = await repository.ask(
    [
      'diff-tree',
      '--stdin',
      '--root',
      '--no-renames',
      '--diff-filter=d',
      '--raw',
      '-r',
      '-z',
      ...(prefix === '' ? [] : ['--', prefix]),
    ],
    { input: `${commits.join('\n')}\n` },
  )
  return parseChanged(listed)
}

/** A name always follows its entry, so it cannot be taken for a commit. */
function parseChanged(listed: string): ReadonlyMap<CommitId, readonly string[]> {
  const files = new Map<CommitId, string[]>()
  const fields = listed.split('\0')
  let commit = toCommitId('')
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at] ?? ''
    if (field.startsWith(':')) {
      at += 1
      files.set(commit, [...(files.get(commit) ?? []), fields[at] ?? ''])
    } else if (field !== '') {
      commit = toCommitId(field)
    }
  }
  return files
}
