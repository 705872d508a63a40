/** What went wrong, as far as a program can act on it. */
export type SqliteErrorCode =
  /** Another connection holds a lock; the same call may succeed later. */
  | 'busy'
  /** The disk or the quota is full. */
  | 'full'
  /** `details.path` names the database. */
  | 'read_only'
  /** The file is damaged, or no database. */
  | 'corrupt'
  /** A statement met JSON that it cannot parse; the connection is fine. */
  | 'malformed_json'
  | 'cannot_open'
  | 'io_error'
  /** The file system cannot lock files. */
  | 'no_locks'
  | 'foreign_key'
  /** A unique index or a primary key has the value already. */
  | 'unique'
  /** There is no file, and the access does not create one. */
  | 'missing'
  /** The file has no bytes, which SQLite would take for a new database. */
  | 'empty'
  /** A symbolic link, a folder, a pipe …; `details.kind` names it. */
  | 'not_regular'
  /** The file was replaced while it was opened. */
  | 'replaced'
  /** Neither Node nor an installed package has a safe SQLite. */
  | 'no_driver'
  /** `details.version` can lose data when several processes write. */
  | 'unsafe_version'
  /** A database of another application. */
  | 'foreign_file'
  /** A newer version of the program has migrated the file. */
  | 'newer_file'
  /** A version of the program wrote the file that this one cannot migrate from. */
  | 'older_file'

export interface SqliteErrorOptions {
  readonly details?: Readonly<Record<string, string | number>>
  readonly cause?: unknown
  readonly isFatal?: boolean
}

/** An error of a database. Where SQLite reported it, the message is SQLite's and `cause` the driver's error. */
export class SqliteError extends Error {
  override readonly name = 'SqliteError'
  readonly code: SqliteErrorCode
  readonly details: Readonly<Record<string, string | number>>
  /** The connection may be in an unknown state and must not be used again. */
  readonly isFatal: boolean

  constructor(code: SqliteErrorCode, message: string, options: SqliteErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.details = options.details ?? {}
    this.isFatal = options.isFatal ?? false
  }
}
