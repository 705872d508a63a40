import { lstat, readdir, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { SNAPSHOT_FOLDERS } from './entry.ts'
import { GENERATED } from './markdown.ts'
import { Failure } from '../core/error.ts'
import { isDraft, makeFolder } from '../support/files/put-file.ts'
import { openInTree, putInTree } from '../support/files/tree-file.ts'
import { assertReachable, type WorkTree } from '../support/files/worktree/work-tree.ts'
import { violation } from '../core/input/parse.ts'
import { hasCode } from '../support/system-error.ts'

const BATCH_SIZE = 16
const README = 'README.md'
const MOST_TRIES = 10
/** Of a file that may not be ours, so much is read; what marks one of ours is near its start. */
const MOST_BYTES = 8 * 1024 * 1024

export interface WrittenSnapshot {
  /** Paths that are new or different now. */
  readonly written: readonly string[]
  /** Paths of an earlier snapshot that are no longer part of it. */
  readonly removed: readonly string[]
}

/**
 * Brings a folder of the project to these files. Touches only what differs, replaces and removes only what an earlier
 * snapshot left, and refuses a folder that holds something else.
 */
export async function writeSnapshot(
  { tree, folder }: { readonly tree: WorkTree; readonly folder: string },
  files: ReadonlyMap<string, string>,
  { dryRun }: { readonly dryRun: boolean },
): Promise<WrittenSnapshot> {
  await assertOurs(tree, folder)
  await assertFolders(folder, files.keys())
  // Check all files before writing the first: a foreign file must not leave a partial snapshot.
  const outdated: File[] = []
  for (const some of batches([...files])) {
    const look = async (file: File) => ((await isOutdated(tree, folder, file)) ? [file] : [])
    outdated.push(...(await Promise.all(some.map(look))).flat())
  }
  // They would become part of the next commit.
  if (!dryRun) await removeDrafts(folder)
  for (const some of dryRun ? [] : batches(outdated)) {
    const put = ([path, text]: File) => writeFile(tree, join(folder, path), text)
    for (const outcome of await Promise.allSettled(some.map(put))) {
      if (outcome.status === 'rejected') throw outcome.reason
    }
  }
  const written = outdated.map(([path]) => path)
  const removed = (await generatedIn(tree, folder)).filter((path) => !files.has(path))
  if (!dryRun) {
    for (const path of removed) await rm(join(folder, path), { force: true })
    for (const name of SNAPSHOT_FOLDERS) await rmdir(join(folder, name)).catch(() => {})
  }
  return { written, removed }
}

type File = readonly [path: string, text: string]

/** The file that marks the folder as ours first, in case of a crash; then several at once, to share disk flushes. */
function* batches(files: readonly File[]): Generator<readonly File[]> {
  const isReadme = ([path]: File): boolean => path === README
  const rest = files.filter((file) => !isReadme(file))
  yield files.filter(isReadme)
  for (let at = 0; at < rest.length; at += BATCH_SIZE) yield rest.slice(at, at + BATCH_SIZE)
}

/** Whether the file must be written. A foreign file in its place is an error. */
async function isOutdated(tree: WorkTree, folder: string, [path, text]: File): Promise<boolean> {
  const place = join(folder, path)
  const stats = await lstat(place).catch(() => undefined)
  if (stats === undefined) return true
  const there = await readFile(tree, place, Buffer.byteLength(text) + 1)
  // A concurrent snapshot has removed it.
  if (there === undefined && stats.isFile()) return true
  if (there?.includes(GENERATED)) return there !== text
  throw new Failure(
    'conflict',
    `${path} is not from a snapshot and stands where one of its files belongs; move or rename it`,
    { details: { reason: 'foreign_file', field: 'output_dir', path } },
  )
}

async function removeDrafts(folder: string): Promise<void> {
  for (const inner of [folder, ...SNAPSHOT_FOLDERS.map((name) => join(folder, name))]) {
    if ((await lstat(inner).catch(() => undefined))?.isDirectory() !== true) continue
    for (const name of (await readdir(inner).catch(() => [])).filter(isDraft)) {
      // On Windows a temp file that is open cannot be removed; its writer will rename it.
      await rm(join(inner, name), { force: true }).catch(() => {})
    }
  }
}

/** The folder, inside the project and by its real name: no link may lead out of it. */
export async function locateFolder(
  tree: WorkTree,
  path: string,
  field = 'output_dir',
): Promise<string> {
  const wanted = resolve(tree.top, path)
  if (wanted === tree.top) throw badFolder(field, 'must be a folder inside the project', path)
  assertReachable(tree, wanted)
  for (let at = wanted; at !== tree.top; at = dirname(at)) {
    const stats = await lstat(at).catch(() => undefined)
    if (stats?.isDirectory() === false) {
      throw badFolder(field, 'leads through something that is no folder', path)
    }
  }
  return wanted
}

/** Refuses to begin where a folder for one of these files is a link or a file. */
export async function assertFolders(folder: string, files: Iterable<string>): Promise<void> {
  for (const name of new Set([...files].map((file) => dirname(file)))) {
    const stats = await lstat(join(folder, name)).catch(() => undefined)
    if (stats?.isDirectory() === false) throw noFolder(name)
  }
}

function noFolder(name: string): Failure {
  return new Failure('conflict', `${name} is no folder; move it away`)
}

function badFolder(field: string, problem: string, path: string): Failure {
  return violation(field, 'bad_format', problem, { value: path.slice(0, 200) })
}

async function assertOurs(tree: WorkTree, folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  if (names.every(isDraft)) return
  if ((await readFile(tree, join(folder, README)))?.includes(GENERATED)) return
  throw new Failure(
    'conflict',
    'the folder holds something other than a snapshot; choose another or empty it',
    { details: { reason: 'foreign_folder', field: 'output_dir' } },
  )
}

/** Files of an earlier snapshot: in its folders, and saying so themselves. */
async function generatedIn(tree: WorkTree, folder: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const name of SNAPSHOT_FOLDERS) {
    const isFolder = (await lstat(join(folder, name)).catch(() => undefined))?.isDirectory()
    if (isFolder !== true) continue
    for (const file of (await readdir(join(folder, name))).toSorted()) {
      const path = `${name}/${file}`
      if (!file.endsWith('.md')) continue
      if ((await readFile(tree, join(folder, path)))?.includes(GENERATED)) found.push(path)
    }
  }
  return found
}

/** The text of a regular file, of a large one the beginning; undefined for anything else. */
export async function readFile(
  tree: WorkTree,
  path: string,
  wanted = 0,
): Promise<string | undefined> {
  const stats = await lstat(path).catch(() => undefined)
  if (stats?.isFile() !== true) return undefined
  await using file = await openInTree(tree, path)
  if (file === undefined) return undefined
  const { size } = await file.stat()
  const bytes = Buffer.alloc(Math.min(size, Math.max(wanted, MOST_BYTES)))
  const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
  return bytes.toString('utf8', 0, bytesRead)
}

/** Writes a file as a whole and makes its folder. */
export async function writeFile(tree: WorkTree, path: string, text: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await makeFolder(dirname(path))
      if (!(await lstat(dirname(path))).isDirectory()) throw noFolder(basename(dirname(path)))
      return await putInTree(tree, path, (file) => file.writeFile(text))
    } catch (error) {
      // A concurrent snapshot has removed our temp file as stale, or the folder as unused.
      if (tries >= MOST_TRIES || !hasCode(error, ['ENOENT'])) throw error
    }
  }
}
