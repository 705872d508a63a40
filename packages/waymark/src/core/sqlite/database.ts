import {
  type Access,
  Connection,
  type ConnectionOptions,
  isBusy,
  migrate as runMigrations,
  pauseBeforeRetry,
  readSchemaVersion,
  type Schema,
  SqliteError,
} from '@waymark/sqlite'
import { CommitSignal } from '../store/signal/commit-signal.ts'
import type { Sql, SqlValue } from '../store/sql.ts'
import type { StoreEngine, WatchOptions, WriteOptions } from '../store/store.ts'
import { closed, REMEDY, retryWhileBusy, toFailure, withFailures } from './failures.ts'
import { elapsed } from './job.ts'
import { Writer } from './writer.ts'
import { Failure } from '../error.ts'
import { type Migration, MIGRATIONS } from '../store/migrations.ts'

/** Reads of Waymark are shorter than this; a longer one belongs to another program. */
const READERS_MS = 1000

/** For so long reads may be answered from a database whose path has another one now. Writes look each time. */
const LOOK_MS = 5

/** A larger database would block the event loop for too long while it is rewritten. */
const MOST_PAGES_AT_ONCE = 1000

export interface DatabaseOptions {
  readonly path: string
  readonly bellPath: string
  readonly linePath: string
  readonly projectId: string
  /** How many milliseconds a call may wait for other processes before it fails as `busy`. */
  readonly patience?: number
}

/**
 * A project's SQLite database: one connection that reads what is committed, and one that writes, opened when it is
 * first needed.
 */
export class Database implements StoreEngine {
  readonly #options: Required<DatabaseOptions>
  readonly #writer: Writer
  readonly #commitSignal: CommitSignal
  #reader: Connection
  #seenVersion = 0
  #lookedAt = 0
  #isClosed = false

  /** Opens an existing database, and brings it to this program's schema if an older one has made it. */
  static async open(given: DatabaseOptions): Promise<Database> {
    const options = { patience: 15_000, ...given }
    const database = new Database(
      options,
      await retryWhileBusy(() => connect(options, 'read'), options.patience),
    )
    try {
      if (!isCurrent(database.#reader)) await update(options)
      return database
    } catch (error) {
      await database[Symbol.asyncDispose]()
      throw error
    }
  }

  private constructor(options: Required<DatabaseOptions>, reader: Connection) {
    this.#options = options
    this.#reader = reader
    this.#commitSignal = new CommitSignal(options.bellPath, () => this.#hasChanged())
    this.#writer = new Writer({
      open: () => retryWhileBusy(() => connect(options, 'write'), options.patience),
      check: assertCurrent,
      onCommit: () => this.#commitSignal.notify(),
      linePath: options.linePath,
      patience: options.patience,
    })
  }

  async get<Row>(sql: string, values?: readonly SqlValue[]): Promise<Row | undefined> {
    return this.#read((reader) => reader.get<Row>(sql, ...(values ?? [])))
  }

  async all<Row>(sql: string, values?: readonly SqlValue[]): Promise<Row[]> {
    return this.#read((reader) => reader.all<Row>(sql, ...(values ?? [])))
  }

  async write<T>(work: (tx: Sql) => Promise<T>, options?: WriteOptions): Promise<T> {
    return this.#writer.write(work, options)
  }

  watch(listener: () => void, options?: WatchOptions): () => void {
    return this.#commitSignal.watch(listener, options)
  }

  async version(): Promise<number> {
    return this.#read((reader) => reader.pragma('data_version'))
  }

  async copyToMemory(tables: readonly string[]): Promise<StoreEngine> {
    const { MemoryDatabase } = await import('./memory-database.ts')
    const memory = await MemoryDatabase.create()
    await this.#read((reader) => memory.fill(reader, tables))
    return memory
  }

  releaseMemory(): void {
    if (this.#isClosed) return
    this.#reader.releaseMemory()
    this.#writer.releaseMemory()
  }

  async emptyLog(): Promise<boolean> {
    return await this.#maintain((connection) => emptyLog(connection))
  }

  async rewrite(): Promise<boolean> {
    return await this.#maintain(async (connection) => {
      const size = connection.get<{ page_count: number }>('PRAGMA page_count')
      if ((size?.page_count ?? 0) <= MOST_PAGES_AT_ONCE) {
        // A vacuum builds the new file as a temporary database, which must not be in memory.
        connection.exec('PRAGMA temp_store = FILE')
        await retryWhileBusy(() => connection.exec('VACUUM'), this.#options.patience)
      } else {
        const { vacuumInThread } = await import('./vacuum.ts')
        await vacuumInThread(this.#options)
      }
      return await emptyLog(connection)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#commitSignal.close()
    this.#reader.close()
    // Last, because the last connection that can write empties the log into the database.
    await this.#writer.close()
  }

  /** On a connection of its own: it must not be in a transaction. */
  async #maintain<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw closed()
    const { patience } = this.#options
    const connection = await retryWhileBusy(() => connect(this.#options, 'write'), patience)
    try {
      return await withFailures(() => work(connection))
    } finally {
      connection.close()
    }
  }

  async #read<T>(query: (reader: Connection) => T): Promise<T> {
    try {
      return query(this.#usableReader())
    } catch (error) {
      // Rare: in WAL mode only a checkpoint or a recovery locks readers out.
      if (!isBusy(error)) throw toFailure(error)
    }
    return retryWhileBusy(() => query(this.#usableReader()), this.#options.patience)
  }

  #usableReader(): Connection {
    if (this.#isClosed) throw closed()
    if (this.#reader.isBroken || this.#isReplaced()) {
      const reader = connect(this.#options, 'read')
      this.#reader.close()
      this.#reader = reader
    }
    return this.#reader
  }

  /** Whether the path has another database. A call makes several reads, for which it is looked at once. */
  #isReplaced(): boolean {
    const now = elapsed()
    if (now - this.#lookedAt < LOOK_MS) return false
    this.#lookedAt = now
    return this.#reader.isMoved
  }

  /** Called by the background poll, which cannot report an error; the next read throws it. */
  #hasChanged(): boolean {
    const seen = this.#seenVersion
    try {
      this.#seenVersion = this.#usableReader().pragma('data_version')
    } catch {
      return false
    }
    return this.#seenVersion !== seen
  }
}

function connect({ path, projectId }: DatabaseOptions, access: Access): Connection {
  const connection = new Connection(path, access, CACHE)
  try {
    assertOurs(connection, projectId)
    if (access === 'write') useLog(connection)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

async function emptyLog(connection: Connection): Promise<boolean> {
  const deadline = performance.now() + READERS_MS
  for (;;) {
    const row = connection.get<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)')
    if (row?.busy === 0) return true
    if (performance.now() >= deadline) return false
    await pauseBeforeRetry()
  }
}

async function update(options: Required<DatabaseOptions>): Promise<void> {
  const connection = await retryWhileBusy(() => connect(options, 'write'), options.patience)
  try {
    await migrate(connection, options.patience)
  } finally {
    connection.close()
  }
}

/** "WAYM": marks the file as ours in its header. */
const APPLICATION_ID = 0x5741594d

export const SCHEMA: Schema = toSchema(MIGRATIONS)

/** The operating system caches the file as well; more of it in the process costs memory and saves no time. */
export const CACHE: ConnectionOptions = { cacheKilobytes: 1_024 }

/** Turns on the write-ahead log, which stays on: readers and the one writer do not wait for each other. */
export function useLog(connection: Connection): void {
  const mode = connection.useWriteAheadLog()
  if (mode !== 'wal') {
    throw new Failure(
      'storage_unavailable',
      'the state folder is on a file system without the shared memory that the store needs; use a local disk',
      { details: { mode } },
    )
  }
}

/** Brings a database, new or old, to this program's schema. Any number of processes may try at once. */
export async function migrate(
  connection: Connection,
  busyLimitMs: number,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  await withFailures(() => runMigrations(connection, toSchema(migrations), busyLimitMs))
}

/** Throws unless this is a Waymark database that this program understands, and the one of this project. */
function assertOurs(connection: Connection, projectId: string): void {
  if (readSchemaVersion(connection, SCHEMA) === 0) {
    throw new SqliteError('foreign_file', 'the database has no tables')
  }
  // The file may have come with a repository from anywhere. Waymark makes no triggers and no views.
  const code = connection.get('SELECT 1 FROM sqlite_schema WHERE type IN (?, ?)', 'trigger', 'view')
  if (code !== undefined) {
    throw new Failure(
      'storage_corrupt',
      `the database has triggers or views that Waymark did not create; ${REMEDY}`,
    )
  }
  const project = connection.get<{ id: string }>('SELECT id FROM project')
  if (project?.id !== projectId) {
    throw new Failure('storage_corrupt', `the database is that of another project; ${REMEDY}`)
  }
}

function isCurrent(connection: Connection): boolean {
  return connection.pragma('user_version') === MIGRATIONS.at(-1)?.version
}

/** Throws if a newer program has changed the database since it was opened. */
function assertCurrent(connection: Connection): void {
  if (isCurrent(connection)) return
  throw new Failure(
    'storage_unavailable',
    'the database was updated by another program while it was in use; start waymark again',
  )
}

function toSchema(migrations: readonly Migration[]): Schema {
  return {
    applicationId: APPLICATION_ID,
    firstVersion: migrations[0]?.version ?? 1,
    migrations: migrations.map(({ sqlite }) => sqlite),
  }
}
