import { createHash } from 'node:crypto'
import {
  lstatSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { Failure, type FailureCode } from '../core/error.ts'
import { hasCode, systemCode } from '../support/system-error.ts'
import { makeFolder, putFile, removeOldDrafts, syncFolder } from '../support/files/put-file.ts'

/** A user's file, as it was when it was read. */
export interface ConfigFile {
  /** The real path: symbolic links are followed, never replaced. */
  readonly path: string
  /** Undefined when there is no such file. */
  readonly bytes: Buffer | undefined
}

const LARGEST_FILE = 64 * 1024 * 1024

/** Reads a file that may not exist. With `root`, its real path must be inside that folder. */
export function readConfigFile(path: string, root?: string): ConfigFile {
  return withFileFailures(() => {
    const real = toRealPath(path)
    if (root !== undefined && !isInside(realpathSync(root), real)) {
      throw new Failure('forbidden', 'leads out of the project through a link')
    }
    return { path: real, bytes: readBytes(real) }
  })
}

function readBytes(path: string): Buffer | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  if (!stats.isFile()) throw new Failure('invalid_input', 'is not a file')
  if (stats.size > LARGEST_FILE) throw new Failure('invalid_input', 'is too large')
  return readFileSync(path)
}

/** Like `realpath`, for a path whose last parts may not exist yet. */
function toRealPath(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (!hasCode(error, ['ENOENT'])) throw error
  }
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) {
    throw new Failure('invalid_input', 'is a dangling symbolic link')
  }
  const parent = dirname(path)
  return parent === path ? path : join(toRealPath(parent), basename(path))
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** The parent folders that do not exist yet, outermost first. */
export function missingFolders(path: string): readonly string[] {
  const parent = dirname(path)
  if (parent === path || statSync(parent, { throwIfNoEntry: false }) !== undefined) return []
  return [...missingFolders(parent), parent]
}

/** Removes folders that we created, innermost first, if they are empty. */
export function removeFolders(folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    try {
      rmdirSync(folder)
    } catch {
      return
    }
  }
}

/**
 * Replaces a file atomically: readers, also after a power cut, see either the old or the new file. Fails if the file has
 * changed since `file` was read.
 */
export async function replaceFile(file: ConfigFile, bytes: Buffer | undefined): Promise<void> {
  await withFileFailuresAsync(async () => {
    assertWritable(file.path)
    if (bytes === undefined) {
      assertUnchanged(file)
      rmSync(file.path, { force: true })
      await syncFolder(dirname(file.path))
      return
    }
    await makeFolder(dirname(file.path))
    await removeOldDrafts(file.path)
    const old = statSync(file.path, { throwIfNoEntry: false })
    await putFile(file.path, (temp) => writeTemp(temp, bytes, old), {
      mode: old === undefined ? (isScript(bytes) ? 0o777 : 0o666) : 0o600,
      check: () => assertUnchanged(file),
    })
  })
}

/** A program, which its host starts directly. */
function isScript(bytes: Buffer): boolean {
  return bytes.subarray(0, 2).toString('latin1') === '#!'
}

/** Sets mode and owner of the temp file before its content, which may hold secrets. */
async function writeTemp(temp: FileHandle, bytes: Buffer, old: Stats | undefined): Promise<void> {
  if (old !== undefined) {
    const own = await temp.stat()
    if (own.uid !== old.uid || own.gid !== old.gid) await temp.chown(old.uid, old.gid)
    await temp.chmod(old.mode)
  }
  await temp.writeFile(bytes)
}

/** A rename ignores the write protection of the file, so check it here. */
function assertWritable(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats !== undefined && (stats.mode & 0o200) === 0) {
    throw new Failure('storage_read_only', 'is write-protected')
  }
}

/** Hosts write their files without locks, so this check comes directly before the rename. */
function assertUnchanged({ path, bytes }: ConfigFile): void {
  const now = readBytes(path)
  if (now === undefined ? bytes === undefined : bytes?.equals(now)) return
  throw new Failure('conflict', 'was changed by another program at this moment; try again')
}

/** Hash of the content; null if there is no file. */
export function fingerprint(bytes: Buffer | undefined): string | null {
  return bytes === undefined ? null : createHash('sha256').update(bytes).digest('hex')
}

function withFileFailures<T>(action: () => T): T {
  try {
    return action()
  } catch (error) {
    throw toFailure(error)
  }
}

async function withFileFailuresAsync<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    throw toFailure(error)
  }
}

const MEANINGS: Readonly<Record<string, readonly [FailureCode, string]>> = {
  EACCES: ['storage_read_only', 'cannot be used; check its owner and permissions'],
  EPERM: ['storage_read_only', 'cannot be used; check its owner and permissions'],
  EROFS: ['storage_read_only', 'is on a disk that cannot be written to'],
  ENOSPC: ['storage_full', 'is on a full disk; free some space and try again'],
  EDQUOT: ['storage_full', 'is on a full disk; free some space and try again'],
  ENOTDIR: ['invalid_input', 'cannot be there: a part of its path is a file'],
  EEXIST: ['invalid_input', 'cannot be there: a part of its path is a file'],
  ELOOP: ['invalid_input', 'is a symbolic link loop'],
}

function toFailure(cause: unknown): unknown {
  const system = cause instanceof Failure ? undefined : systemCode(cause)
  if (system === undefined) return cause
  const [code, message] = MEANINGS[system] ?? [
    'storage_unavailable' as const,
    'cannot be used: the disk reported an error',
  ]
  return new Failure(code, message, { cause })
}
