import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { kindOf } from '../../support/files/worktree/git-dirs.ts'
import { type Commit, subjectOf } from '../../git/history/commits.ts'
import type { Repository } from '../../git/repository.ts'

/** The action in the reflog that created the commit, such as `commit (amend)` or `cherry-pick`; undefined without a reflog. */
export async function actionOf(
  repository: Repository,
  { id }: Commit,
): Promise<string | undefined> {
  const args = ['log', '--walk-reflogs', '--max-count=1', '--format=%H %gs', 'HEAD', '--']
  const { stdout } = await repository.run(args)
  const [, moved, action] = /^([0-9a-f]+) ([^:]*): /.exec(stdout) ?? []
  return moved === id ? action : undefined
}

/** Reflog actions of commits made by hand. An amend counts: pending text that precedes it is about the amended commit. */
const BY_HAND: ReadonlySet<string> = new Set([
  'commit',
  'commit (initial)',
  'commit (merge)',
  'commit (amend)',
])
const AGAIN = /^(?:cherry-pick|revert|rebase|commit \()/

/**
 * Whether a commit was created by a rebase, a cherry-pick or a revert. Git runs the hook for those too, but pending text
 * belongs to the next commit made by hand.
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
  // After a conflict was resolved by hand, the reflog says `commit`.
  return isRevert(commit) || (await isStoppedAt(gitDir, commit))
}

/** Files that exist while git replays commits, but not always until the hook runs. */
const REPLAYS = ['rebase-merge', 'rebase-apply', 'sequencer', 'CHERRY_PICK_HEAD', 'REVERT_HEAD']

function isUnderWay(gitDir: string): boolean {
  return REPLAYS.some((name) => kindOf(join(gitDir, name)) !== undefined)
}

function isRevert({ message }: Commit): boolean {
  return /^This reverts commit [0-9a-f]{40,64}\b/m.test(message)
}

/** A stopped rebase keeps the message of its commit; another message means a new commit. */
async function isStoppedAt(gitDir: string, commit: Commit): Promise<boolean> {
  const message = await readFile(join(gitDir, 'rebase-merge', 'message'), 'utf8').catch(() => '')
  return message !== '' && subjectOf({ message }) === subjectOf(commit)
}
