import { randomUUID } from 'node:crypto'
import { constants, renameSync } from 'node:fs'
import { access, type FileHandle, lstat, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../../core/error.ts'
import { hasCode } from '../system-error.ts'
import { notPlain } from './not-plain.ts'
import { MACHINE_CLOCK } from '../../core/clock/machine-clock.ts'

const WINDOWS = process.platform === 'win32'
const RENAME_ATTEMPTS = 10
const DRAFT_LIFETIME_MS = 60_000
const DRAFT = /\.waymark-[0-9a-f]{8}\.tmp$/

export interface PutOptions {
  readonly mode?: number
  /** Fails if the path exists. */
  readonly isNew?: boolean
  /** Only checks whether the file could be put there. */
  readonly isDryRun?: boolean
  /** Called directly before each attempt to rename. */
  readonly check?: () => void
}

/**
 * Writes a file atomically: a temp file is written, synced and renamed, so that readers and a power cut see the old or
 * the new contents. Durable once this resolves. A symlink is replaced, never followed; anything else that is not a
 * regular file is refused.
 */
export async function putFile(
  path: string,
  write: (file: FileHandle, draft: string) => Promise<void>,
  { mode = 0o666, isNew = false, isDryRun = false, check }: PutOptions = {},
): Promise<void> {
  await assertReplaceable(path, isNew)
  if (isDryRun) return await access(dirname(path), constants.W_OK)
  const draft = `${path}.waymark-${randomUUID().slice(0, 8)}.tmp`
  try {
    {
      await using file = await open(draft, 'wx', mode)
      await write(file, draft)
      await file.sync()
    }
    await assertReplaceable(path, isNew)
    await renameWithRetry(draft, path, check)
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {})
    throw error
  }
  await syncFolder(dirname(path))
}

async function assertReplaceable(path: string, isNew: boolean): Promise<void> {
  const there = await lstat(path).catch(() => undefined)
  if (there === undefined) return
  if (!there.isFile() && !there.isSymbolicLink()) throw notPlain(there)
  if (isNew) throw fileExists()
}

function fileExists(): Failure {
  return new Failure('conflict', 'the file exists; pass force to replace it', {
    details: { reason: 'exists' },
  })
}

/** Creates a folder and its parents, durably. */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode })
  if (first === undefined) return
  for (let made = path; ; made = dirname(made)) {
    await syncFolder(dirname(made))
    if (made === first) return
  }
}

/** Whether this is the name of a temp file, as a killed process leaves behind. */
export function isDraft(name: string): boolean {
  return DRAFT.test(name)
}

/** Removes temp files of killed processes. A recent one may still be in use by another process. */
export async function removeOldDrafts(path: string): Promise<void> {
  const start = `${basename(path)}.waymark-`
  for (const name of await readdir(dirname(path))) {
    if (name.replace(DRAFT, '.waymark-') !== start) continue
    const draft = join(dirname(path), name)
    const written = (await stat(draft).catch(() => undefined))?.mtimeMs ?? Infinity
    if (MACHINE_CLOCK.now() - written > DRAFT_LIFETIME_MS) await rm(draft, { force: true })
  }
}

/** Syncs a folder, so that renames in it are durable. Windows cannot open folders and orders renames by itself. */
export async function syncFolder(path: string): Promise<void> {
  if (WINDOWS) return
  try {
    await using folder = await open(path, 'r')
    await folder.sync()
  } catch (error) {
    // The folder may be writable but not readable, and some file systems cannot sync folders.
    if (!hasCode(error, ['EACCES', 'EPERM', 'EINVAL', 'ENOTSUP'])) throw error
  }
}

/** On Windows a file that another program has open cannot be replaced; virus scanners let go after a moment. */
async function renameWithRetry(from: string, to: string, check?: () => void): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      check?.()
      // In the same turn as the check: what changes in between would be lost.
      return renameSync(from, to)
    } catch (error) {
      const isHeld = WINDOWS && hasCode(error, ['EPERM', 'EACCES', 'EBUSY'])
      if (!isHeld || attempt === RENAME_ATTEMPTS) throw error
      await pause(10 * attempt)
    }
  }
}
