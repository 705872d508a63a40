import { lstat, mkdir, open, readdir, realpath, rename, rm, rmdir } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { SNAPSHOT_FOLDERS } from '../domain/snapshot/entry.ts'
import { GENERATED } from '../domain/snapshot/markdown.ts'
import { Failure } from '../error.ts'
import { violation } from '../parse.ts'

export interface WrittenSnapshot {
  /** Paths that are new or different now. */
  readonly written: readonly string[]
  /** Paths of an earlier snapshot that are no longer part of it. */
  readonly removed: readonly string[]
}

/**
 * Brings a folder of the project to these files. Touches only what differs, removes only what an earlier snapshot
 * left, and refuses a folder that holds something else.
 */
export async function writeSnapshot(
  folder: string,
  files: ReadonlyMap<string, string>,
  { dryRun }: { readonly dryRun: boolean },
): Promise<WrittenSnapshot> {
  await assertOurs(folder)
  const written: string[] = []
  for (const [path, text] of files) {
    if ((await readFile(join(folder, path))) === text) continue
    written.push(path)
    if (!dryRun) await writeFile(folder, path, text)
  }
  const removed = (await generatedIn(folder)).filter((path) => !files.has(path))
  if (!dryRun) {
    for (const path of removed) await rm(join(folder, path))
    for (const name of SNAPSHOT_FOLDERS) await rmdir(join(folder, name)).catch(() => {})
  }
  return { written, removed }
}

/** The folder, inside the project and by its real name: no link may lead out of it. */
export async function locateFolder(root: string, path: string): Promise<string> {
  const top = await realpath(root)
  const wanted = resolve(top, path)
  const inside = relative(top, wanted)
  const [first] = inside.split(sep)
  if (inside === '' || first === '..' || isAbsolute(inside) || first === '.git') {
    throw violation('output_dir', 'bad_format', 'must be a folder inside the project', {
      value: path.slice(0, 200),
    })
  }
  for (let at = wanted; at !== top; at = dirname(at)) {
    const stats = await lstat(at).catch(() => undefined)
    if (stats !== undefined && !stats.isDirectory()) {
      throw violation('output_dir', 'bad_format', 'leads through something that is no folder', {
        value: path.slice(0, 200),
      })
    }
  }
  return wanted
}

async function assertOurs(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  if (names.length === 0 || (await readFile(join(folder, 'README.md')))?.includes(GENERATED)) return
  throw new Failure(
    'conflict',
    'the folder holds something other than a snapshot; choose another or empty it',
    { details: { reason: 'foreign_folder', field: 'output_dir' } },
  )
}

/** Files of an earlier snapshot: in its folders, and saying so themselves. */
async function generatedIn(folder: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const name of SNAPSHOT_FOLDERS) {
    const isFolder = (await lstat(join(folder, name)).catch(() => undefined))?.isDirectory()
    if (isFolder !== true) continue
    for (const file of (await readdir(join(folder, name))).toSorted()) {
      const path = `${name}/${file}`
      if (file.endsWith('.md') && (await readFile(join(folder, path)))?.includes(GENERATED)) {
        found.push(path)
      }
    }
  }
  return found
}

async function readFile(path: string): Promise<string | undefined> {
  const stats = await lstat(path).catch(() => undefined)
  if (stats?.isFile() !== true) return undefined
  await using file = await open(path, 'r')
  return await file.readFile('utf8')
}

/** Complete or not at all; a link in the place of the file is replaced, never followed. */
async function writeFile(folder: string, path: string, text: string): Promise<void> {
  const target = join(folder, path)
  await mkdir(dirname(target), { recursive: true })
  if (!(await lstat(dirname(target))).isDirectory()) {
    throw new Failure('conflict', `${dirname(path)} in the snapshot is no folder`)
  }
  const draft = `${target}.${process.pid}.tmp`
  {
    await using file = await open(draft, 'wx')
    await file.writeFile(text)
  }
  await rename(draft, target)
}
