import { SqliteError, type SqliteErrorCode } from './sqlite-error.ts'
import { isFull, isWritable } from './probe.ts'

interface Meaning {
  readonly code: SqliteErrorCode
  readonly isFatal?: true
}

const NO_LOCKS: Meaning = { code: 'no_locks', isFatal: true }
const CORRUPT: Meaning = { code: 'corrupt', isFatal: true }

/** What SQLite's result codes mean. An extended code goes before the primary code in its low byte. */
const MEANINGS = new Map<number, Meaning>([
  [3 /* PERM */, { code: 'read_only' }],
  [5 /* BUSY */, { code: 'busy' }],
  [6 /* LOCKED */, { code: 'busy' }],
  [8 /* READONLY */, { code: 'read_only' }],
  [10 /* IOERR */, { code: 'io_error', isFatal: true }],
  [11 /* CORRUPT */, CORRUPT],
  [13 /* FULL */, { code: 'full' }],
  [14 /* CANTOPEN */, { code: 'cannot_open', isFatal: true }],
  [15 /* PROTOCOL */, { code: 'busy' }],
  [26 /* NOTADB */, CORRUPT],
  [787 /* CONSTRAINT_FOREIGNKEY */, { code: 'foreign_key' }],
  [1555 /* CONSTRAINT_PRIMARYKEY */, { code: 'unique' }],
  [2067 /* CONSTRAINT_UNIQUE */, { code: 'unique' }],
  [2058 /* IOERR_UNLOCK */, NO_LOCKS],
  [2314 /* IOERR_RDLOCK */, NO_LOCKS],
  [3850 /* IOERR_LOCK */, NO_LOCKS],
  [5130 /* IOERR_SHMLOCK */, NO_LOCKS],
  [4874 /* IOERR_SHMSIZE: no room to grow the index of the log */, { code: 'full', isFatal: true }],
])

/**
 * SQLite's own words for a result code. The packaged driver omits the number from an error that occurs while `all`
 * reads rows, so the message is the only way to recognise it.
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

/** The SqliteError for an error of a driver; undefined for any other error, and for wrong SQL. */
export function toSqliteError(error: unknown, path: string): SqliteError | undefined {
  const meaning = meaningOf(error)
  if (meaning === undefined || !(error instanceof Error)) return undefined
  const { isFatal = false } = meaning
  const code = refine(meaning.code, path)
  const details = code === 'read_only' ? { path } : {}
  return new SqliteError(code, error.message, { cause: error, isFatal, details })
}

/**
 * SQLite reports "cannot open" when the folder's permissions keep it from creating the log, and "I/O error" when a
 * quota is exceeded or the disk has no inode left.
 */
function refine(code: SqliteErrorCode, path: string): SqliteErrorCode {
  if (code === 'cannot_open' && !isWritable(path)) return 'read_only'
  return (code === 'cannot_open' || code === 'io_error') && isFull(path) ? 'full' : code
}

function meaningOf(error: unknown): Meaning | undefined {
  if (!(error instanceof Error)) return undefined
  const hasNumber = 'errcode' in error
  if (!hasNumber && (!('code' in error) || error.code !== 'ERR_SQLITE_ERROR')) return undefined
  // It has no result code of its own.
  if (error.message === 'malformed JSON') return { code: 'malformed_json' }
  const known = hasNumber ? error.errcode : CODES_BY_TEXT[error.message]
  // The packaged driver has the extended code in another property when a database cannot be opened.
  const code = 'sqliteExtendedCode' in error ? error.sqliteExtendedCode : known
  if (typeof code !== 'number') return undefined
  return MEANINGS.get(code) ?? MEANINGS.get(code & 0xff)
}
