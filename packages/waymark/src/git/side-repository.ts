import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createFile } from '../support/files/regular-file.ts'
import { assertPlainTree } from '../support/files/state-entries.ts'
import { placeOf } from './config/git-place.ts'
import { objectFormatIn } from './config/repository-format.ts'
import { ObjectReader } from './object-reader.ts'
import type { RemoteCall } from './remote/remotes.ts'
import type { Repository } from './repository.ts'
import { type GitOptions, type GitPlace, type GitResult, runGit } from './run.ts'

type CallOptions = Omit<GitOptions, keyof GitPlace>

/**
 * A bare repository in the state folder for refs of a remote that change often. In the user's own repository their old
 * versions would pile up as loose objects until `git gc` complains; this one is deleted when it has grown.
 */
export interface SideRepository extends AsyncDisposable {
  readonly objects: ObjectReader
  run(args: readonly string[], options?: CallOptions): Promise<GitResult>
  /** Runs git with access to a remote of the main repository. */
  reach(args: readonly string[], call: RemoteCall, options?: CallOptions): Promise<GitResult>
}

type Main = Pick<Repository, 'root' | 'config' | 'layout'>

/** Folders of loose objects; with all 256 of them it has some thousand objects at least. */
const MOST_FOLDERS = 240

/** One process at a time may use a folder. */
export function openSideRepository(main: Main, folder: string): SideRepository {
  // Refs are files here, whatever the main repository keeps its own in.
  const settings = main.config().settings.filter(({ key }) => key !== 'extensions.refstorage')
  prepare(folder, objectFormatIn(settings))
  const place = placeOf({ root: folder, dirs: { own: folder, common: folder }, settings })
  const objects = new ObjectReader(() => place)
  return {
    objects,
    run: (args, options) => runGit(args, { ...options, ...place }),
    reach: (args, { isTrusted, settings: added }, options) => {
      const reached = { ...options, cwd: main.root, mayReachOut: true }
      if (!isTrusted)
        return runGit(args, { ...reached, ...place, settings: [...place.settings, ...added] })
      // Git knows the remotes of a trusted repository by that repository's configuration.
      const include = { key: 'include.path', value: join(main.layout().commonDir, 'config') }
      const variables = { GIT_DIR: folder }
      return runGit(args, { ...reached, variables, settings: [include, ...added] })
    },
    [Symbol.asyncDispose]: () => objects[Symbol.asyncDispose](),
  }
}

/** Makes it, unless it is there. An archive can bring the folder, and git would write through links in it. */
function prepare(folder: string, format: string): void {
  assertPlainTree(folder)
  const objects = join(folder, 'objects')
  const isWhole = existsSync(join(folder, 'HEAD')) && existsSync(objects)
  if (isWhole && readdirSync(objects).length <= MOST_FOLDERS) return
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  mkdirSync(objects, { recursive: true })
  mkdirSync(join(folder, 'refs'))
  const version = format === 'sha1' ? 0 : 1
  const extension = format === 'sha1' ? '' : `[extensions]\n\tobjectFormat = ${format}\n`
  const config = `[core]\n\trepositoryFormatVersion = ${version}\n\tbare = true\n${extension}`
  createFile(join(folder, 'config'), config)
  // Last: git takes the folder for a repository once it is there.
  createFile(join(folder, 'HEAD'), 'ref: refs/heads/none\n')
}
