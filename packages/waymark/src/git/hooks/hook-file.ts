import { lstat, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeFolder, putFile } from '../../support/files/put-file.ts'
import { addBlock, hasBlock, isShellScript, type Label, removeBlock } from './block.ts'
import { hooksFolder } from './folder.ts'

/** Lines of ours in the hooks of a repository. */
export interface Lines {
  readonly label: Label
  /** Shares no file with other hooks: one that is there already is foreign. */
  readonly isAlone?: boolean
  /** A hook that was switched off stays off; otherwise it is made executable. */
  readonly keepsMode?: boolean
}

export interface HookFile {
  readonly hook: string
  readonly path: string
  /** `foreign`: nothing can be added to the hook. */
  readonly state: 'installed' | 'not_installed' | 'foreign'
  /** Undefined if there is none. */
  readonly text: string | undefined
  readonly mode: number | undefined
  /** A hook that was moved aside; it is run first, and comes back when ours is removed. */
  readonly backup: string | undefined
}

export async function readHooks(
  root: string,
  names: readonly string[],
  lines: Lines,
): Promise<readonly HookFile[]> {
  const folder = await hooksFolder(root)
  return await Promise.all(names.map((name) => readHook(name, join(folder, name), lines)))
}

async function readHook(hook: string, path: string, lines: Lines): Promise<HookFile> {
  const stats = await lstat(path).catch(() => undefined)
  // A symbolic link is never edited: its target may serve other repositories too.
  const text =
    stats === undefined ? undefined : stats.isFile() ? await readFile(path, 'utf8') : '#!link'
  const hasBackup =
    lines.isAlone === true && (await lstat(`${path}.backup`).catch(() => undefined)) !== undefined
  return {
    hook,
    path,
    state: stateOf(text, lines),
    text,
    mode: stats === undefined ? undefined : stats.mode & 0o777,
    backup: hasBackup ? `${path}.backup` : undefined,
  }
}

function stateOf(text: string | undefined, { label, isAlone }: Lines): HookFile['state'] {
  if (text === undefined) return 'not_installed'
  if (hasBlock(text, label)) return 'installed'
  return isShellScript(text) && isAlone !== true ? 'not_installed' : 'foreign'
}

/** Adds our lines to a hook, or updates them. */
export async function writeLines(
  { path, text, mode }: HookFile,
  body: string,
  { label, keepsMode = false }: Lines,
): Promise<void> {
  const isKept = mode === undefined || keepsMode || hasBlock(text ?? '', label)
  const isOff = !isKept && (mode & 0o100) === 0
  const added = addBlock(text, { label, body, ...(isOff && { mode: mode.toString(8) }) })
  if (added !== text) await writeHook(path, added, isKept ? mode : mode | 0o755)
}

/** Removes our lines. A hook that was created for them is deleted, and one that was moved aside comes back. */
export async function takeOutLines(
  { path, text, mode, backup, state }: HookFile,
  { label }: Lines,
): Promise<void> {
  if (text === undefined || state !== 'installed') return
  const before = removeBlock(text, label)
  const former = before.mode === undefined ? mode : Number.parseInt(before.mode, 8)
  if (before.text !== undefined) return await writeHook(path, before.text, former)
  await (backup === undefined ? rm(path) : rename(backup, path))
}

/** Atomic: git may run the hook at any moment, and it may contain lines of the user. */
async function writeHook(path: string, text: string, mode = 0o755): Promise<void> {
  await makeFolder(dirname(path))
  await putFile(path, async (file) => {
    await file.chmod(mode)
    await file.writeFile(text)
  })
}
