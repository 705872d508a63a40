import { join } from 'node:path'
import { Failure } from '../../core/error.ts'
import { FLUSHED } from '../objects/flushed.ts'
import type { GitCalls, Repository } from '../repository.ts'
import { type GitResult, toGitFailure } from '../run.ts'
import { shownPath } from './ref-locks.ts'

type Git = Pick<GitCalls, 'run'>

export interface RefMove {
  readonly ref: string
  readonly to: string
  /** Where it must still be; undefined if there must be no such ref. */
  readonly from: string | undefined
  /** For the reflog. */
  readonly why: string
}

/** `moved`; `behind`: another process was faster; `locked`: one is moving it, or was killed while it did. */
export type Moved = 'moved' | 'behind' | 'locked'

/** Moves a ref if it is still where it was read. Never follows a symbolic ref. */
export async function moveRef(git: Git, { ref, to, from, why }: RefMove): Promise<Moved> {
  // An empty old value means that there must be no such ref yet.
  const args = ['update-ref', '--no-deref', '-m', why, ref, to, from ?? '']
  const result = await git.run([...FLUSHED, ...args])
  if (result.exitCode === 0) return 'moved'
  if (isLocked(result)) return 'locked'
  if (BEHIND.test(result.stderr)) return 'behind'
  throw toGitFailure(result)
}

const BEHIND = /but expected|reference already exists|reference is missing/

/** The error after a timeout waiting for the lock. */
export function lockedRef(
  { root, layout }: Pick<Repository, 'root' | 'layout'>,
  ref: string,
): Failure {
  const lock = shownPath({ root }, join(layout().commonDir, `${ref}.lock`))
  return new Failure(
    'busy',
    `${ref} is locked by another git process; if none runs, remove ${lock}`,
    { details: { reason: 'ref_locked', ref, lock } },
  )
}

/** Whether git could not move a ref because another process is moving it. */
export function isLocked({ stderr }: Pick<GitResult, 'stderr'>): boolean {
  return stderr.includes("Unable to create '") && stderr.includes(".lock': File exists")
}
