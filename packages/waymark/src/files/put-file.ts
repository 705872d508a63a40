import { randomUUID } from 'node:crypto'
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Failure } from '../error.ts'
import { hasCode } from '../system-error.ts'
import { notPlain } from './not-plain.ts'
import { MACHINE_CLOCK } from '../machine-clock.ts'

const WINDOWS = process.platform === 'win32'
const RENAME_ATTEMPTS = 10
const DRAFT_LIFETIME_MS = 60_000
const DRAFT = /\.waymark-[0-9a-f]{8}\.tmp$/

export interface PutOptions {
  readonly mode?: number
  /** Refuses to take the place of something that is there. */
  readonly isNew?: boolean
  /** The last look, directly before the change. */
  readonly check?: () => void
}

/**
 * Puts a file in its place in one step: whoever reads it, or whenever the power fails, it is the old one or the new one,
 * and the new one once this resolves. A link in its place is replaced, never followed; what is neither that nor a
 * plain file stays.
 */
export async function putFile(
  path: string,
  write: (file: FileHandle, draft: string) => Promise<void>,
  { mode = 0o666, isNew = false, check }: PutOptions = {},
): Promise<void> {
  await assertReplaceable(path, isNew)
  const draft = `${path}.waymark-${randomUUID().slice(0, 8)}.tmp`
  try {
    {
      await using file = await open(draft, 'wx', mode)
      await write(file, draft)
      await file.sync()
    }
    check?.()
    await assertReplaceable(path, isNew)
    await renamePatiently(draft, path)
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
  if (!isNew) return
  throw new Failure('conflict', 'the file exists; pass force to replace it', {
    details: { reason: 'exists' },
  })
}

/** Makes a folder and those above it, so that their names survive a power cut. */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode })
  if (first === undefined) return
  for (let made = path; ; made = dirname(made)) {
    await syncFolder(dirname(made))
    if (made === first) return
  }
}

/** What a process that was killed has left of a file that it was about to put in its place. */
export function isDraft(name: string): boolean {
  return DRAFT.test(name)
}

/** A process that was killed has left its draft behind. One that is young may still be written by another process. */
export async function removeOldDrafts(path: string): Promise<void> {
  const start = `${basename(path)}.waymark-`
  for (const name of await readdir(dirname(path))) {
    if (name.replace(DRAFT, '.waymark-') !== start) continue
    const draft = join(dirname(path), name)
    const written = (await stat(draft).catch(() => undefined))?.mtimeMs ?? Infinity
    if (MACHINE_CLOCK.now() - written > DRAFT_LIFETIME_MS) await rm(draft, { force: true })
  }
}

/** Makes the names in a folder survive a power cut. Windows cannot open one, and keeps the order of names by itself. */
export async function syncFolder(path: string): Promise<void> {
  if (WINDOWS) return
  try {
    await using folder = await open(path, 'r')
    await folder.sync()
  } catch (error) {
    // Not every folder may be read by whoever may write to it, and not every file system flushes folders.
    if (!hasCode(error, ['EACCES', 'EPERM', 'EINVAL', 'ENOTSUP'])) throw error
  }
}

/** On Windows a file that another program has open cannot be replaced; virus scanners let go after a moment. */
async function renamePatiently(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await rename(from, to)
    } catch (error) {
      const isHeld = WINDOWS && hasCode(error, ['EPERM', 'EACCES', 'EBUSY'])
      if (!isHeld || attempt === RENAME_ATTEMPTS) throw error
      await pause(10 * attempt)
    }
  }
}
