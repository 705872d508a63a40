import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { kindOf } from '../../support/files/git-dirs.ts'
import { type Commit, subjectOf } from '../../git/commits.ts'
import type { Repository } from '../../git/repository.ts'

/** How git says it made a commit, such as `commit (amend)` or `cherry-pick`; undefined where it keeps no log of that. */
export async function actionOf(
  repository: Repository,
  { id }: Commit,
): Promise<string | undefined> {
  const args = ['log', '--walk-reflogs', '--max-count=1', '--format=%H %gs', 'HEAD', '--']
  const { stdout } = await repository.run(args)
  const [, moved, action] = /^([0-9a-f]+) ([^:]*): /.exec(stdout) ?? []
  return moved === id ? action : undefined
}

/** What somebody commits by hand. An amend is among them: whoever says something and then amends speaks of that. */
const BY_HAND: ReadonlySet<string> = new Set([
  'commit',
  'commit (initial)',
  'commit (merge)',
  'commit (amend)',
])
const AGAIN = /^(?:cherry-pick|revert|rebase|commit \()/

/**
 * Whether a commit is made out of one that was made before, by a rebase, a cherry-pick or a revert. Git runs the hook for
 * each of those too, but what was said for the next commit is about one that is yet to come.
 */
export async function isReplay(
  repository: Repository,
  commit: Commit,
  action: string | undefined,
): Promise<boolean> {
  const { gitDir } = repository.layout()
  if (action === undefined || !(BY_HAND.has(action) || AGAIN.test(action)))
    return isUnderWay(gitDir) || isRevert(commit)
  if (action !== 'commit') return !BY_HAND.has(action)
  // Where a conflict was resolved by hand, git has forgotten by now what it was about.
  return isRevert(commit) || (await isStoppedAt(gitDir, commit))
}

/** There while git makes commits out of commits that were made before, but not always until the hook runs. */
const REPLAYS = ['rebase-merge', 'rebase-apply', 'sequencer', 'CHERRY_PICK_HEAD', 'REVERT_HEAD']

function isUnderWay(gitDir: string): boolean {
  return REPLAYS.some((name) => kindOf(join(gitDir, name)) !== undefined)
}

function isRevert({ message }: Commit): boolean {
  return /^This reverts commit [0-9a-f]{40,64}\b/m.test(message)
}

/** A rebase that stopped at a commit keeps its message; with another one it is a commit of its own. */
async function isStoppedAt(gitDir: string, commit: Commit): Promise<boolean> {
  const message = await readFile(join(gitDir, 'rebase-merge', 'message'), 'utf8').catch(() => '')
  return message !== '' && subjectOf({ message }) === subjectOf(commit)
}
