import { lstat, readFile, realpath, rename, rm } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { Failure } from '../core/error.ts'
import { placeOf, type PlaceOptions, readPlace } from '../git/config/git-place.ts'
import { expandHome } from '../git/remote/parse-address.ts'
import { runGit } from '../git/run.ts'
import { writeHook } from './write-hook.ts'

type HookState = 'installed' | 'not_installed' | 'foreign'

export interface HookStatus {
  readonly state: HookState
  /** Where the hook is, or would be. */
  readonly path: string
  /** A hook that was there before ours; it is run first, and comes back when ours is removed. */
  readonly backup?: string
}

const NAME = 'pre-commit'
const MARK = '# waymark: snapshot hook'

const scriptOf = (folder: string): string => `#!/bin/sh
${MARK}
# Written by \`waymark hook install\`, removed by \`waymark hook uninstall\`.
before="$(dirname "$0")/${NAME}.backup"
if [ -x "$before" ]; then "$before" "$@" || exit $?; fi
command -v waymark >/dev/null 2>&1 || { echo 'waymark is not on the PATH: no snapshot' >&2; exit 0; }
waymark snapshot >/dev/null || {
  echo 'waymark could not write the snapshot; git commit --no-verify goes on without it' >&2
  exit 1
}
if [ -d '${folder}' ]; then git add -- '${folder}'; fi
`

/** The pre-commit hook of a repository, whichever working tree is asked. */
export async function hookStatus(root: string): Promise<HookStatus> {
  const path = join(await hooksFolder(root), NAME)
  const text = await readIfPresent(path)
  const hasBackup = (await lstat(`${path}.backup`).catch(() => undefined)) !== undefined
  return {
    state: text === undefined ? 'not_installed' : text.includes(MARK) ? 'installed' : 'foreign',
    path,
    ...(hasBackup && { backup: `${path}.backup` }),
  }
}

/** Installs the hook. An existing one is an error, unless `force` moves it aside. */
export async function installHook(
  root: string,
  { folder, force }: { readonly folder: string; readonly force: boolean },
): Promise<HookStatus> {
  const { state, path, backup } = await hookStatus(root)
  if (state === 'foreign') {
    if (!force) {
      throw new Failure(
        'conflict',
        'there is another pre-commit hook; --force keeps it and adds ours',
        {
          details: { reason: 'foreign_hook', field: 'force' },
        },
      )
    }
    if (backup !== undefined) {
      throw new Failure('conflict', 'there is a pre-commit.backup already; move it away first', {
        details: { reason: 'backup_exists' },
      })
    }
    await rename(path, `${path}.backup`)
  }
  await writeHook(path, scriptOf(folder))
  return await hookStatus(root)
}

/** Removes our hook and restores the one that it replaced. */
export async function uninstallHook(root: string): Promise<HookStatus> {
  const { state, path, backup } = await hookStatus(root)
  if (state === 'installed') {
    await rm(path)
    if (backup !== undefined) await rename(backup, path)
  }
  return await hookStatus(root)
}

/** Where git looks for hooks. Our own calls switch hooks off, so the setting is asked for file by file. */
export async function hooksFolder(root: string): Promise<string> {
  const options = readPlace(root)
  if (options === undefined) {
    throw new Failure('not_initialised', 'not a Git repository: run `git init` first')
  }
  const { common } = options.dirs
  const own = options.settings.findLast(({ key }) => key === 'core.hookspath')?.value
  const set =
    own === undefined ? await askForFolder(options) : { folder: expandHome(own), scope: 'local' }
  if (set === undefined) return await unlinked(join(common, 'hooks'), [root, common])
  const folder = resolve(root, set.folder)
  if (isInside(root, folder) || isInside(common, folder)) {
    return await unlinked(folder, [root, common])
  }
  throw new Failure('conflict', 'core.hooksPath names a folder outside this repository', {
    details: { reason: 'hooks_elsewhere', scope: set.scope },
  })
}

async function askForFolder(
  options: PlaceOptions,
): Promise<{ readonly folder: string; readonly scope: string } | undefined> {
  for (const scope of ['global', 'system']) {
    // As a path: git takes `~/hooks` for a folder in the home of its user.
    const args = ['config', `--${scope}`, '--type=path', '--get', 'core.hooksPath']
    const { exitCode, stdout } = await runGit(args, placeOf(options))
    if (exitCode === 0) return { folder: stdout.replace(/\n$/, ''), scope }
  }
  return undefined
}

/** A symbolic link may point to hooks in the working tree, but not to a folder shared with other repositories. */
async function unlinked(folder: string, inside: readonly string[]): Promise<string> {
  if ((await lstat(folder).catch(() => undefined)) === undefined) return folder
  const real = await realpath(folder).catch(() => undefined)
  const places = await Promise.all(inside.map((place) => realpath(place)))
  if (real !== undefined && places.some((place) => isInside(place, real))) return folder
  throw new Failure(
    'conflict',
    'the folder for hooks leads out of this repository through a symbolic link; remove the link, or call waymark from the hooks there',
    { details: { reason: 'hooks_elsewhere' } },
  )
}

function isInside(folder: string, path: string): boolean {
  const inside = relative(folder, path)
  return inside !== '..' && !inside.startsWith(`..${sep}`)
}

async function readIfPresent(path: string): Promise<string | undefined> {
  const stats = await lstat(path).catch(() => undefined)
  // A symbolic link counts as a hook that we did not write, and is not followed.
  if (stats === undefined) return undefined
  return stats.isFile() ? await readFile(path, 'utf8') : ''
}
