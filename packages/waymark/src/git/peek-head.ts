import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { findGitDirs, type GitDirs } from '../support/files/worktree/git-dirs.ts'
import { type CommitId, toCommitId } from './history/commit-id.ts'

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
const BRANCH = /^ref: (refs\/heads\/\S+)$/
/** Room for ten thousand branches; beyond that, starting git is faster. */
const LARGEST_FILE = 1_000_000

/**
 * The commit that HEAD probably points to, read from Git's files in their most common form. Starting git takes several
 * milliseconds, so a prefetch can start with this value meanwhile.
 */
export function peekHead({ own, common }: GitDirs): CommitId | undefined {
  const head = readSmall(join(own, 'HEAD'))?.trim() ?? ''
  if (COMMIT.test(head)) return toCommitId(head)
  const branch = BRANCH.exec(head)?.[1]
  if (branch === undefined || branch.split('/').includes('..')) return undefined
  const loose = readSmall(join(common, branch))?.trim() ?? findPacked(common, branch) ?? ''
  return COMMIT.test(loose) ? toCommitId(loose) : undefined
}

/** The branch that is checked out in the working tree with this top folder, or the start of a detached commit. */
export function peekBranch(root: string): string | undefined {
  const dirs = dirsOf(root)
  const head = dirs === undefined ? '' : (readSmall(join(dirs.own, 'HEAD'))?.trim() ?? '')
  if (COMMIT.test(head)) return head.slice(0, 7)
  return BRANCH.exec(head)?.[1]?.slice('refs/heads/'.length)
}

/** Undefined also for a worktree that was removed or is damaged. */
function dirsOf(root: string): GitDirs | undefined {
  try {
    return findGitDirs(root)
  } catch {
    return undefined
  }
}

function findPacked(common: string, branch: string): string | undefined {
  const lines = readSmall(join(common, 'packed-refs'))?.split('\n') ?? []
  return lines.find((line) => line.endsWith(` ${branch}`))?.split(' ')[0]
}

function readSmall(file: string): string | undefined {
  try {
    const stats = statSync(file)
    return stats.isFile() && stats.size <= LARGEST_FILE ? readFileSync(file, 'utf8') : undefined
  } catch {
    return undefined
  }
}
