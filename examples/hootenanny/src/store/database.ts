import { DatabaseSync } from '@photostructure/sqlite'
import { StudioError } from '../error.ts'
import { MIGRATIONS } from './schema.ts'

type Value = string | number | null

/** The studio's one SQLite file. */
export class Database implements Disposable {
  readonly #sqlite: InstanceType<typeof DatabaseSync>

  /** Opens the file and brings it up to date. */
  constructor(path: string) {
    this.#sqlite = new DatabaseSync(path)
    try {
      this.#sqlite.exec('PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON')
      // What a client was told must survive a power cut.
      this.#sqlite.exec('PRAGMA synchronous = FULL')
      this.transaction(() => this.#migrate())
    } catch (error) {
      this.#sqlite.close()
      throw error
    }
  }

  run(sql: string, ...values: Value[]): number {
    return Number(this.#sqlite.prepare(sql).run(...values).changes)
  }

  /** The first row; its type is what the schema promises. */
  get<Row extends object>(sql: string, ...values: Value[]): Row | undefined {
    return this.#sqlite.prepare(sql).get(...values) as Row | undefined
  }

  all<Row extends object>(sql: string, ...values: Value[]): Row[] {
    return this.#sqlite.prepare(sql).all(...values) as Row[]
  }

  /** All of the changes, or none. */
  transaction<T>(change: () => T): T {
    this.#sqlite.exec('BEGIN IMMEDIATE')
    try {
      const result = change()
      this.#sqlite.exec('COMMIT')
      return result
    } catch (error) {
      this.#sqlite.exec('ROLLBACK')
      throw error
    }
  }

  [Symbol.dispose](): void {
    this.#sqlite.close()
  }

  #migrate(): void {
    const { user_version: version = 0 } =
      this.get<{ user_version: number }>('PRAGMA user_version') ?? {}
    if (version > MIGRATIONS.length)
      throw new StudioError('the state folder was written by a newer version of the studio')
    for (const migration of MIGRATIONS.slice(version)) this.#sqlite.exec(migration)
    this.#sqlite.exec(`PRAGMA user_version = ${MIGRATIONS.length}`)
  }
}
