import { rename, rm, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { kindOf } from '../support/files/worktree/git-dirs.ts'
import { Failure } from '../core/error.ts'
import { findRemotes } from '../git/config/find-place.ts'
import { placeOf, readPlace } from '../git/config/git-place.ts'
import { runGit } from '../git/run.ts'
import {
  type HookFile,
  type Lines,
  readHooks,
  takeOutLines,
  writeLines,
} from '../git/hooks/hook-file.ts'
import { removeBlock } from '../git/hooks/block.ts'
import { isCommitAwaited, isOnDemand } from './on-demand.ts'
import { CODE_SCRIPTS, SNAPSHOT_SCRIPTS, SYNC_SCRIPTS, TO_ANY_REMOTE } from './scripts.ts'

export const HOOK_KINDS = ['snapshot', 'sync', 'code'] as const
export type HookKind = (typeof HOOK_KINDS)[number]

interface Kind extends Lines {
  /** By the name of the hook. */
  readonly scripts: Readonly<Record<string, string | ((remote: string) => string)>>
  readonly onForeign: 'move aside' | 'refuse' | 'skip'
}

const KINDS: Readonly<Record<HookKind, Kind>> = {
  snapshot: {
    label: 'snapshot',
    scripts: SNAPSHOT_SCRIPTS,
    isAlone: true,
    onForeign: 'move aside',
  },
  sync: { label: 'sync', scripts: SYNC_SCRIPTS, keepsMode: true, onForeign: 'refuse' },
  code: { label: 'annotations', scripts: CODE_SCRIPTS, onForeign: 'skip' },
}

/** In which no shell sees more than a word. */
const PLAIN_NAME = /^\w[\w./+-]*$/

export async function findHooks(root: string, kind: HookKind): Promise<readonly HookFile[]> {
  const files = await readHooks(root, Object.keys(KINDS[kind].scripts), KINDS[kind])
  const common = readPlace(root)?.dirs.common
  if (kind !== 'code' || common === undefined || !areWanted(common)) return files
  return files.map((file) => {
    const isWaiting = isOnDemand(file, common) && !isCommitAwaited(common)
    return isWaiting ? { ...file, state: 'installed' } : file
  })
}

interface InstallOptions {
  readonly force?: boolean
  readonly remote?: string | undefined
  /** Also change hooks that Git tracks. */
  readonly tracked?: boolean
}

/** Adds the lines of a kind to its hooks, or updates them. Changes nothing when it refuses. */
export async function installHooks(
  root: string,
  kind: HookKind,
  { force = false, remote = '', tracked = false }: InstallOptions = {},
): Promise<readonly HookFile[]> {
  const { scripts, onForeign } = KINDS[kind]
  if (kind === 'code' && !tracked) await refuseTracked(root, kind)
  const foreign = (await findHooks(root, kind)).find(({ state }) => state === 'foreign')
  if (foreign !== undefined && onForeign === 'refuse') throw notShell(foreign, kind)
  if (foreign !== undefined && onForeign === 'move aside') await moveAside(foreign, force)
  if (kind === 'code') await remember(root)
  for (const file of await findHooks(root, kind)) {
    const script = scripts[file.hook] ?? ''
    const body = typeof script === 'string' ? script : script(remote)
    const about = `# Written by \`waymark hook install --kind ${kind}\`, removed by \`waymark hook uninstall --kind ${kind}\`.`
    const isWaiting = file.state === 'installed' && file.text === undefined
    if (file.state !== 'foreign' && !isWaiting)
      await writeLines(file, `${about}\n${body}`, KINDS[kind])
  }
  if (kind === 'code') await dismissHooks(root)
  return await findHooks(root, kind)
}

/** Adds the hooks that a commit is waited for with, where annotation hooks are installed. */
export async function demandHooks(root: string): Promise<void> {
  const common = readPlace(root)?.dirs.common
  if (common === undefined || !areWanted(common)) return
  const missing = (await findHooks(root, 'code')).filter((file) => isOnDemand(file, common))
  if (missing.length > 0) await installHooks(root, 'code', { tracked: true })
}

/** Removes the hooks that wait for no commit, unless they share their file with lines of others. */
export async function dismissHooks(root: string): Promise<void> {
  const common = readPlace(root)?.dirs.common
  if (common === undefined || isCommitAwaited(common)) return
  for (const file of await findHooks(root, 'code')) {
    const left = removeBlock(file.text ?? '', KINDS.code.label)
    if (left.text !== undefined || !isOnDemand({ ...file, text: undefined }, common)) continue
    await takeOutLines(file, KINDS.code)
  }
  // Another process may have begun to wait in the meantime, and have found the hook still there.
  if (isCommitAwaited(common)) await demandHooks(root)
}

/** Removes the lines of a kind; every other byte stays. */
export async function uninstallHooks(root: string, kind: HookKind): Promise<readonly HookFile[]> {
  for (const file of await findHooks(root, kind)) await takeOutLines(file, KINDS[kind])
  const mark = kind === 'code' ? markOf(root) : undefined
  if (mark !== undefined) await rm(mark, { force: true })
  return await findHooks(root, kind)
}

/** Marker file in the Git folder while annotation hooks shall be there. */
const INSTALLED_FILE = 'waymark-hooks'

/** Whether annotation hooks were installed, and not uninstalled since. */
function areWanted(commonDir: string): boolean {
  return kindOf(join(commonDir, INSTALLED_FILE)) === 'file'
}

function markOf(root: string): string | undefined {
  const options = readPlace(root)
  return options && join(options.dirs.common, INSTALLED_FILE)
}

async function remember(root: string): Promise<void> {
  const mark = markOf(root)
  if (mark !== undefined) await writeFile(mark, '')
}

/** Annotation hooks that were installed and are gone: tools such as husky write their folder of hooks again. */
export async function removedHooks(root: string): Promise<readonly string[]> {
  const common = readPlace(root)?.dirs.common
  if (common === undefined || !areWanted(common)) return []
  const files = await findHooks(root, 'code')
  return files.filter(({ state }) => state === 'not_installed').map(({ hook }) => hook)
}

/** Whether the hook for pushing is one of a version that sent knowledge to every remote. */
export async function sendsToAnyRemote(root: string): Promise<boolean> {
  const files = await findHooks(root, 'sync')
  return files.some(({ state, text = '' }) => state === 'installed' && text.includes(TO_ANY_REMOTE))
}

/** The remote to exchange knowledge with: the one named, `origin`, or the only one. */
export async function chooseRemote(root: string, given: string | undefined): Promise<string> {
  const options = readPlace(root)
  const names: readonly string[] = options === undefined ? [] : (await findRemotes(options)).names
  const name = given ?? (names.length === 1 && names[0] !== undefined ? names[0] : 'origin')
  // Without any remote the hooks wait for the one that a clone would have.
  const isThere = names.includes(name) || (names.length === 0 && given === undefined)
  if (isThere && PLAIN_NAME.test(name)) return name
  const valid = names.filter((each) => PLAIN_NAME.test(each))
  const problem =
    valid.length === 0 ? 'this repository has none to name' : `must be one of ${valid.join(', ')}`
  throw new Failure('invalid_input', `remote: ${problem}`, {
    details: { field: 'remote', value: name.slice(0, 100), valid },
  })
}

/** A change of tracked hooks would be committed, and run for everyone. */
async function refuseTracked(root: string, kind: HookKind): Promise<void> {
  const files = await findHooks(root, kind)
  const [first] = files
  const options = readPlace(root)
  if (first === undefined || options === undefined) return
  if (files.every(({ state }) => state === 'installed')) return
  const folder = relative(root, dirname(first.path))
  if (folder.startsWith('..') || isAbsolute(folder)) return
  const { stdout } = await runGit(['ls-files', '-z', '--', folder], placeOf(options))
  if (stdout === '') return
  throw new Failure('conflict', `Git tracks the hooks in ${folder}; --tracked changes them`, {
    details: { reason: 'tracked_hooks', field: 'tracked' },
  })
}

async function moveAside({ hook, path, backup }: HookFile, force: boolean): Promise<void> {
  if (!force) {
    throw new Failure('conflict', `there is another ${hook} hook; --force keeps it and adds ours`, {
      details: { reason: 'foreign_hook', field: 'force' },
    })
  }
  if (backup !== undefined) {
    throw new Failure('conflict', `there is a ${hook}.backup already; move it away first`, {
      details: { reason: 'backup_exists' },
    })
  }
  await rename(path, `${path}.backup`)
}

function notShell({ hook }: HookFile, kind: HookKind): Failure {
  const message = `the ${hook} hook is not a shell script; call waymark ${kind} from it`
  return new Failure('conflict', message, { details: { reason: 'foreign_hook', hook } })
}
