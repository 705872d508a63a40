import { randomUUID } from 'node:crypto'
import { accessSync, closeSync, constants, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Failure, type FailureCode } from '../error.ts'
import { hasCode } from '../../support/system-error.ts'

const PROBE_BYTES = 1 << 16

interface Meaning {
  readonly code: FailureCode
  readonly message: string
  /** The connection may be in an unknown state and must not be used again. */
  readonly fatal?: true
}

/** What to do about a database that cannot be used any more. It is never replaced silently. */
export const REMEDY =
  'restore it from a copy, or move the state folder away and run `waymark init` to start empty'

const BUSY: Meaning = { code: 'busy', message: 'other processes keep the store busy; try again' }
const FULL: Meaning = {
  code: 'storage_full',
  message: 'the disk is full and nothing was written; free some space and try again',
}
const READ_ONLY: Meaning = {
  code: 'storage_read_only',
  message: 'the state folder cannot be written; check its owner and permissions',
}
const NOT_OPENED: Meaning = {
  code: 'storage_unavailable',
  message: 'the database cannot be opened; check that the state folder is there and may be written',
  fatal: true,
}
const UNAVAILABLE: Meaning = {
  code: 'storage_unavailable',
  message: 'the disk reported an error; check it and try again',
  fatal: true,
}
const NO_LOCKS: Meaning = {
  code: 'storage_unavailable',
  message: 'the file system cannot lock files; keep the repository on a local disk',
  fatal: true,
}
const CORRUPT: Meaning = {
  code: 'storage_corrupt',
  message: `the database is damaged; ${REMEDY}`,
  fatal: true,
}

/** A statement met JSON that is none. It has no code of its own. */
const UNREADABLE: Meaning = {
  code: 'storage_corrupt',
  message: 'a row is damaged in the database; `waymark doctor` says what can be done',
}

const DANGLING: Meaning = { code: 'not_found', message: 'what this refers to does not exist' }
const TAKEN: Meaning = { code: 'conflict', message: 'the id, number or name is taken' }

/** What SQLite's result codes mean to a caller. An extended code goes before the primary code in its low byte. */
const MEANINGS = new Map<number, Meaning>([
  [3 /* PERM */, READ_ONLY],
  [5 /* BUSY */, BUSY],
  [6 /* LOCKED */, BUSY],
  [8 /* READONLY */, READ_ONLY],
  [10 /* IOERR */, UNAVAILABLE],
  [11 /* CORRUPT */, CORRUPT],
  [13 /* FULL */, FULL],
  [14 /* CANTOPEN */, NOT_OPENED],
  [15 /* PROTOCOL */, BUSY],
  [26 /* NOTADB */, CORRUPT],
  [787 /* CONSTRAINT_FOREIGNKEY */, DANGLING],
  [1555 /* CONSTRAINT_PRIMARYKEY */, TAKEN],
  [2067 /* CONSTRAINT_UNIQUE */, TAKEN],
  [2058 /* IOERR_UNLOCK */, NO_LOCKS],
  [2314 /* IOERR_RDLOCK */, NO_LOCKS],
  [3850 /* IOERR_LOCK */, NO_LOCKS],
  [5130 /* IOERR_SHMLOCK */, NO_LOCKS],
  [4874 /* IOERR_SHMSIZE: no room to grow the index of the log */, { ...FULL, fatal: true }],
])

/**
 * SQLite's own words for a result code. The packaged driver leaves the number out of an error that comes in the middle
 * of reading many rows, and these words are all there is to know it by.
 */
const CODES_BY_TEXT: Readonly<Record<string, number>> = {
  'database is locked': 5,
  'database table is locked': 6,
  'attempt to write a readonly database': 8,
  'disk I/O error': 10,
  'database disk image is malformed': 11,
  'database or disk is full': 13,
  'unable to open database file': 14,
  'locking protocol': 15,
  'file is not a database': 26,
}

/** The Failure that a SQLite error stands for; anything else comes back as it is. */
export function toFailure(error: unknown, path: string): unknown {
  const meaning = meaningOf(error)
  if (meaning === undefined) return error
  const { code, message } = lookCloser(meaning, path)
  return new Failure(code, message, { cause: error })
}

/**
 * SQLite says no more than "cannot open" when the folder does not let it create the log, and takes a quota that is used
 * up, or a disk that has no place for another file, for one that fails.
 */
function lookCloser(meaning: Meaning, path: string): Meaning {
  if (meaning === NOT_OPENED && !isWritable(path)) return READ_ONLY
  return (meaning === NOT_OPENED || meaning === UNAVAILABLE) && isFull(dirname(path))
    ? FULL
    : meaning
}

export function isFatal(error: unknown): boolean {
  return meaningOf(error)?.fatal === true
}

/** What a call gets that comes after the end. */
export function closed(): Failure {
  return new Failure('storage_unavailable', 'the store is closed')
}

export function isBusy(error: unknown): boolean {
  return error instanceof Failure && error.code === 'busy'
}

function meaningOf(error: unknown): Meaning | undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_SQLITE_ERROR')
    return undefined
  if (error.message === 'malformed JSON') return UNREADABLE
  const known = 'errcode' in error ? error.errcode : CODES_BY_TEXT[error.message]
  // The packaged driver has the exact code in a place of its own when a database cannot be opened.
  const code = 'sqliteExtendedCode' in error ? error.sqliteExtendedCode : known
  if (typeof code !== 'number') return undefined
  return MEANINGS.get(code) ?? MEANINGS.get(code & 0xff)
}

function isWritable(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK)
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Only who tries to write learns it: what is free for others may not be for us. */
function isFull(folder: string): boolean {
  const probe = join(folder, `probe-${randomUUID()}`)
  try {
    const file = openSync(probe, 'wx', 0o600)
    try {
      writeSync(file, Buffer.alloc(PROBE_BYTES), 0, PROBE_BYTES, 0)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    return false
  } catch (error) {
    return hasCode(error, ['ENOSPC', 'EDQUOT'])
  } finally {
    rmSync(probe, { force: true })
  }
}
