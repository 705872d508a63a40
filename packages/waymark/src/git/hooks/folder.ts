import { lstat, realpath } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { Failure } from '../../core/error.ts'
import { placeOf, type PlaceOptions, readPlace } from '../config/git-place.ts'
import { listSettings } from '../config/list-settings.ts'
import { parseListed } from '../config/user-settings.ts'
import { expandHome } from '../remote/parse-address.ts'
import { runGit } from '../run.ts'

/** Where git looks for hooks. Our own calls switch hooks off, so the setting is asked for by where it stands. */
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
  throw new Failure(
    'conflict',
    'core.hooksPath names a folder outside this repository; call waymark from the hooks there, or unset it',
    {
      details: { reason: 'hooks_elsewhere', scope: set.scope },
    },
  )
}

async function askForFolder(
  options: PlaceOptions,
): Promise<{ readonly folder: string; readonly scope: string } | undefined> {
  const place = placeOf(options)
  const listed = parseListed((await listSettings(place)).stdout)
  // The one of the scope `command` is ours.
  const isSet = listed.some(({ key, scope }) => key === 'core.hookspath' && scope !== 'command')
  if (!isSet) return undefined
  // As a path: git takes `~/hooks` for a folder in the home of its user.
  const args = ['config', '--show-scope', '-z', '--type=path', '--get-all', 'core.hooksPath']
  const { stdout } = await runGit(args, place)
  const words = stdout.split('\0')
  const scopes = words.map((word, at) => (at % 2 === 0 ? word : ''))
  const last = scopes.findLastIndex((scope) => scope === 'global' || scope === 'system')
  return last === -1 ? undefined : { scope: words[last] ?? '', folder: words[last + 1] ?? '' }
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
