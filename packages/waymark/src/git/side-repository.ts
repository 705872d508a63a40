import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createFile } from '../support/files/regular-file.ts'
import { assertPlainTree } from '../support/files/state-entries.ts'
import { placeOf } from './config/git-place.ts'
import { objectFormatIn } from './config/repository-format.ts'
import { type GitObject, ObjectReader } from './object-reader.ts'
import { readLooseObject, writeLooseObject } from './objects/loose-objects.ts'
import type { NewObject } from './objects/pack-stream.ts'
import type { RemoteCall } from './remote/remotes.ts'
import type { Repository } from './repository.ts'
import { type GitOptions, type GitPlace, type GitResult, runGit } from './run.ts'

type CallOptions = Omit<GitOptions, keyof GitPlace>

/**
 * A bare repository in the state folder for refs of a remote that change often. In the user's own repository their old
 * versions would pile up as loose objects until `git gc` complains; this one is deleted when it has grown.
 */
export interface SideRepository extends AsyncDisposable {
  /** The id that a ref points to. */
  tip(ref: string): string | undefined
  /** Whether an object is there that is read without starting git. */
  hasLoose(id: string): boolean
  /** Starts git only for objects in packs. */
  readUpTo(limit: number, id: string): Promise<GitObject | 'too_large' | undefined>
  write(objects: Iterable<NewObject>): void
  /** Runs git with access to a remote of the main repository. */
  reach(args: readonly string[], call: RemoteCall, options?: CallOptions): Promise<GitResult>
}

type Main = Pick<Repository, 'root' | 'config' | 'layout'>

/** Folders of loose objects; with all 256 of them it has some thousand objects at least. */
const MOST_FOLDERS = 240

const LARGEST_TIP = 4096

/** One process at a time may use a folder. */
export function openSideRepository(main: Main, folder: string): SideRepository {
  // Refs are files here, also where the main repository uses another ref format.
  const settings = main.config().settings.filter(({ key }) => key !== 'extensions.refstorage')
  prepare(folder, objectFormatIn(settings))
  const place = placeOf({ root: folder, dirs: { own: folder, common: folder }, settings })
  const reader = new ObjectReader(() => place)
  const loose = join(folder, 'objects')
  return {
    tip: (ref) => readTip(folder, ref),
    hasLoose: (id) => typeof readLooseObject(loose, LARGEST_TIP, id) === 'object',
    readUpTo: async (limit, id) =>
      readLooseObject(loose, limit, id) ?? (await reader.readUpTo(limit, id)),
    write: (objects) => {
      for (const object of objects) writeLooseObject(loose, object)
    },
    reach: (args, { isTrusted, settings: added }, options) => {
      const reached = { ...options, cwd: main.root, mayReachOut: true }
      if (!isTrusted)
        return runGit(args, { ...reached, ...place, settings: [...place.settings, ...added] })
      // Git knows the remotes of a trusted repository by that repository's configuration.
      const include = { key: 'include.path', value: join(main.layout().commonDir, 'config') }
      const variables = { GIT_DIR: folder }
      return runGit(args, { ...reached, variables, settings: [include, ...added] })
    },
    [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
  }
}

/** Refs are files here, and no git of ours packs them. */
function readTip(folder: string, ref: string): string | undefined {
  try {
    const text = readFileSync(join(folder, ref), 'utf8').trim()
    return /^[0-9a-f]{40,64}$/.test(text) ? text : undefined
  } catch {
    return undefined
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
