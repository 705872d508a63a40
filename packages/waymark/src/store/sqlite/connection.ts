import { type BigIntStats, lstatSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { Failure } from '../../error.ts'
import { assertRegular } from '../../files/regular-file.ts'
import type { SqlValue } from '../sql.ts'
import { openHandle, type SqliteHandle, type SqliteStatement } from './driver.ts'
import { isFatal, REMEDY, toFailure } from './failures.ts'

/** `read` and `write` need an existing file: opening a database never makes one. */
export type Access = 'read' | 'write' | 'create'

const URI_MODES = { read: 'ro', write: 'rw', create: 'rwc' } as const satisfies Record<
  Access,
  string
>

// The file may have come with a repository from anywhere: its schema gets no rights, its pages are checked, and
// nothing is mapped into memory.
const GUARDS = `
  PRAGMA trusted_schema = OFF;
  PRAGMA cell_size_check = ON;
  PRAGMA mmap_size = 0;`

// FULL: a commit returns when the log is on disk. With NORMAL a power cut takes the last commits with it.
// fullfsync: macOS flushes the drive's own cache only when asked like this; elsewhere it means nothing.
const DURABILITY = `
  PRAGMA synchronous = FULL;
  PRAGMA fullfsync = ON;
  PRAGMA foreign_keys = ON;
  PRAGMA journal_size_limit = 33554432;`

// Random ids touch pages all over the indexes; SQLite's own two megabytes are too few from some 10,000 entities on.
const MEMORY = `
  PRAGMA cache_size = -32768;`

const MAX_STATEMENTS = 200

/**
 * One SQLite connection: its handle, its settings and its prepared statements. Speaks Failures and never waits: any
 * call may fail as `busy`, opening included.
 */
export class Connection {
  readonly #path: string
  readonly #handle: SqliteHandle
  readonly #file: BigIntStats | undefined
  readonly #statements = new Map<string, SqliteStatement>()
  #isBroken = false

  constructor(path: string, access: Access) {
    this.#path = path
    this.#file = statFile(path)
    // SQLite would follow a symlink, and the driver has no way to tell it not to.
    if (this.#file !== undefined) assertRegular(this.#file, path)
    if (access !== 'create' && !this.#file?.size) throw toMissing(this.#file)
    this.#handle = this.#guard(() =>
      openHandle(`${pathToFileURL(path).href}?mode=${URI_MODES[access]}`, {
        readOnly: access === 'read',
        timeout: 0,
      }),
    )
    try {
      if (this.#file !== undefined && this.isMoved) throw swapped()
      this.#handle.enableDefensive?.(true)
      this.exec(access === 'read' ? GUARDS : GUARDS + DURABILITY + MEMORY)
    } catch (error) {
      this.#handle.close()
      throw error
    }
  }

  /** Whether an error has left the connection in an unknown state. */
  get isBroken(): boolean {
    return this.#isBroken
  }

  /** Whether the file at the path is no longer the one that is open here: what is written now would be lost. */
  get isMoved(): boolean {
    const file = statFile(this.#path)
    return file === undefined || file.ino !== this.#file?.ino || file.dev !== this.#file.dev
  }

  get inTransaction(): boolean {
    return this.#handle.isTransaction
  }

  exec(sql: string): void {
    this.#guard(() => this.#handle.exec(sql))
  }

  get<Row>(sql: string, values: readonly SqlValue[] = []): Row | undefined {
    return this.#guard(() => this.#prepare(sql).get(...values)) as Row | undefined
  }

  all<Row>(sql: string, values: readonly SqlValue[] = []): Row[] {
    return this.#guard(() => this.#prepare(sql).all(...values)) as Row[]
  }

  run(sql: string, values: readonly SqlValue[] = []): number {
    return Number(this.#guard(() => this.#prepare(sql).run(...values)).changes)
  }

  /** The one integer that a pragma answers with. */
  pragma(name: 'application_id' | 'data_version' | 'user_version'): number {
    return this.get<Record<string, number>>(`PRAGMA ${name}`)?.[name] ?? 0
  }

  close(): void {
    // The packaged SQLite closes for real only when the statements have been collected as garbage; until then an
    // open transaction would keep the write lock from everybody.
    if (this.inTransaction) this.#rollback()
    this.#statements.clear()
    this.#handle.close()
  }

  #rollback(): void {
    try {
      this.#handle.exec('ROLLBACK')
    } catch {
      // SQLite has rolled back by itself: the disk it failed on is what the caller is told about.
    }
  }

  #prepare(sql: string): SqliteStatement {
    const known = this.#statements.get(sql)
    if (known) return known
    const [oldest] = this.#statements.keys()
    if (oldest !== undefined && this.#statements.size >= MAX_STATEMENTS) {
      this.#statements.delete(oldest)
    }
    const statement = this.#handle.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  #guard<T>(call: () => T): T {
    try {
      return call()
    } catch (error) {
      this.#isBroken ||= isFatal(error)
      throw toFailure(error, this.#path)
    }
  }
}

function statFile(path: string): BigIntStats | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false })
}

/** SQLite takes an empty file for a new database, and what was lost would look as if it had never been. */
function toMissing(file: BigIntStats | undefined): Failure {
  const state = file === undefined ? 'missing' : 'empty'
  return new Failure('storage_corrupt', `the database is ${state}; ${REMEDY}`)
}

/** What was opened need not be what was looked at a moment before. */
function swapped(): Failure {
  return new Failure('storage_unavailable', 'the database was replaced at this moment; try again')
}
