import { lstat, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { addBlock, hasBlock, isShellScript, removeBlock, renewBlock } from './hook-block.ts'
import { hooksFolder } from './git-hooks.ts'
import { writeHook } from './write-hook.ts'

/** Marker file in the Git folder of a worktree while sources are recorded for its next commit. */
export const NOTICED_FILE = 'waymark-noticed'

/** The hooks that keep annotations with their commits. None of them can make a commit fail. */
const BLOCKS = {
  // Not during a rebase, which reports its picks to post-rewrite.
  'prepare-commit-msg': `waymark_git=$(git rev-parse --git-dir) || :
if [ -f "$waymark_git/SQUASH_MSG" ] || [ -f "$waymark_git/${NOTICED_FILE}" ] || { [ -f "$waymark_git/CHERRY_PICK_HEAD" ] && [ ! -d "$waymark_git/rebase-merge" ]; }; then
  if command -v waymark >/dev/null 2>&1; then
    waymark code hook prepare-commit-msg </dev/null >/dev/null 2>&1 || :
  fi
fi`,
  'post-commit': `if command -v waymark >/dev/null 2>&1; then
  waymark code hook post-commit </dev/null >/dev/null 2>&1 || :
fi`,
  // Standard input is read here first, and then replayed for the rest of the script.
  'post-rewrite': `waymark_rewritten=$(cat)
if command -v waymark >/dev/null 2>&1; then
  printf '%s\\n' "$waymark_rewritten" | waymark code hook post-rewrite "$1" --stdin >/dev/null 2>&1 || :
fi
exec <<WAYMARK_REWRITTEN
$waymark_rewritten
WAYMARK_REWRITTEN`,
} as const

export type HookName = keyof typeof BLOCKS
export const HOOK_NAMES = Object.keys(BLOCKS) as readonly HookName[]

/** `foreign`: a program that is no shell script, to which nothing can be added. */
type HookState = 'installed' | 'not_installed' | 'foreign'

export interface HookReport {
  readonly hook: HookName
  readonly state: HookState
}

export async function annotationHooks(root: string): Promise<readonly HookReport[]> {
  return await Promise.all(
    HOOK_NAMES.map(async (hook) => ({ hook, state: stateOf((await readHook(root, hook)).text) })),
  )
}

/** Adds our block to every shell hook, or updates it to this version. */
export async function installAnnotationHooks(root: string): Promise<readonly HookReport[]> {
  for (const hook of HOOK_NAMES) {
    const { path, text, mode } = await readHook(root, hook)
    const state = stateOf(text)
    if (state === 'installed' && text !== undefined) {
      const renewed = renewBlock(text, BLOCKS[hook])
      if (renewed !== text) await writeHook(path, renewed, mode)
    }
    if (state !== 'not_installed') continue
    const isRunnable = mode === undefined || (mode & 0o100) !== 0
    const before = isRunnable ? undefined : mode.toString(8)
    await writeHook(path, addBlock(text, BLOCKS[hook], before), (mode ?? 0o644) | 0o755)
  }
  return await annotationHooks(root)
}

/** Removes our block. A hook that we created is deleted. */
export async function uninstallAnnotationHooks(root: string): Promise<readonly HookReport[]> {
  for (const hook of HOOK_NAMES) {
    const { path, text, mode } = await readHook(root, hook)
    if (text === undefined || mode === undefined || !hasBlock(text)) continue
    const before = removeBlock(text)
    if (before.text === undefined) await rm(path)
    else {
      const permissions = before.mode === undefined ? mode : Number.parseInt(before.mode, 8)
      await writeHook(path, before.text, permissions)
    }
  }
  return await annotationHooks(root)
}

interface HookFile {
  readonly path: string
  /** Undefined if there is none. */
  readonly text: string | undefined
  readonly mode: number | undefined
}

async function readHook(root: string, hook: HookName): Promise<HookFile> {
  const path = join(await hooksFolder(root), hook)
  const stats = await lstat(path).catch(() => undefined)
  if (stats === undefined) return { path, text: undefined, mode: undefined }
  // A symbolic link is never edited: its target may serve other repositories too.
  const text = stats.isFile() ? await readFile(path, 'utf8') : '#!link'
  return { path, text, mode: stats.mode & 0o777 }
}

function stateOf(text: string | undefined): HookState {
  if (text === undefined) return 'not_installed'
  if (hasBlock(text)) return 'installed'
  return isShellScript(text) ? 'not_installed' : 'foreign'
}
