import { readdirSync } from 'node:fs'
import { isAbsolute, join, relative, sep } from 'node:path'
import { kindOf } from '../support/files/worktree/git-dirs.ts'
import type { HookFile } from '../git/hooks/hook-file.ts'
import { NOTICED_FILE, PENDING_FILE } from './scripts.ts'

/**
 * Whether a hook is there only while it has something to do. Git starts post-commit for each commit of a rebase, and
 * starting a shell takes a third as long as the commit. Not in a folder of the working tree, where it would come and go in
 * front of everyone, and not beside lines of others, which git starts anyway.
 */
export function isOnDemand({ hook, path, text }: HookFile, commonDir: string): boolean {
  const inside = relative(commonDir, path)
  const isPrivate = !inside.startsWith(`..${sep}`) && !isAbsolute(inside)
  return hook === 'post-commit' && isPrivate && text === undefined
}

/** Whether the next commit of any worktree is waited for. */
export function isCommitAwaited(commonDir: string): boolean {
  const folders = [commonDir, ...worktreesIn(commonDir)]
  return folders.some((folder) =>
    [PENDING_FILE, NOTICED_FILE].some((name) => kindOf(join(folder, name)) === 'file'),
  )
}

function worktreesIn(commonDir: string): readonly string[] {
  const folder = join(commonDir, 'worktrees')
  try {
    return readdirSync(folder).map((name) => join(folder, name))
  } catch {
    return []
  }
}
