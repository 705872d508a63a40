import { type Connection, retryWhileBusy } from '@waymark/sqlite'
import type { RecordKey, RecordStore, RecordWrite, StoredRecord } from '../record-store.ts'
import type { GroupCommit } from './group-commit.ts'

interface RecordRow {
  readonly value: string
  readonly version: number
  readonly expires_at: number | null
}

/** Records in a database that several processes share. */
export class SqliteRecordStore implements RecordStore {
  readonly #connection: Connection
  readonly #commits: GroupCommit
  readonly #now: () => number

  constructor(connection: Connection, commits: GroupCommit, now: () => number) {
    this.#connection = connection
    this.#commits = commits
    this.#now = now
  }

  read({ collection, key, owner }: RecordKey): Promise<StoredRecord | undefined> {
    return retryWhileBusy(() => {
      const row = this.#connection.get<RecordRow>(
        `SELECT value, version, expires_at FROM record
           WHERE collection = ? AND key = ? AND owner = ? AND coalesce(expires_at > ?, 1)`,
        collection,
        key,
        owner,
        this.#now(),
      )
      return row && { value: row.value, version: row.version, expiresAt: row.expires_at }
    })
  }

  write({ replaces, ...record }: RecordWrite): Promise<boolean> {
    return this.#commits.write(() => {
      this.#dropExpired(record)
      return replaces === 0 ? this.#insert(record) : this.#replace(record, replaces)
    })
  }

  remove({ collection, key, owner }: RecordKey): Promise<boolean> {
    return this.#commits.write(() => {
      const removed = this.#connection.run(
        `DELETE FROM record
           WHERE collection = ? AND key = ? AND owner = ? AND coalesce(expires_at > ?, 1)`,
        collection,
        key,
        owner,
        this.#now(),
      )
      return removed > 0
    })
  }

  #insert({ collection, key, owner, value, expiresAt }: Omit<RecordWrite, 'replaces'>): boolean {
    const inserted = this.#connection.run(
      `INSERT INTO record (collection, key, owner, value, version, expires_at)
         VALUES (?, ?, ?, ?, 1, ?) ON CONFLICT DO NOTHING`,
      collection,
      key,
      owner,
      value,
      expiresAt,
    )
    return inserted > 0
  }

  #replace(record: Omit<RecordWrite, 'replaces'>, version: number): boolean {
    const replaced = this.#connection.run(
      `UPDATE record SET value = ?, expires_at = ?, version = version + 1
         WHERE collection = ? AND key = ? AND owner = ? AND version = ?`,
      record.value,
      record.expiresAt,
      record.collection,
      record.key,
      record.owner,
      version,
    )
    return replaced > 0
  }

  #dropExpired({ collection, key }: Pick<RecordKey, 'collection' | 'key'>): void {
    this.#connection.run(
      'DELETE FROM record WHERE collection = ? AND key = ? AND expires_at <= ?',
      collection,
      key,
      this.#now(),
    )
  }
}
