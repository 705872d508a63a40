import type { RecordKey, RecordStore, RecordWrite, StoredRecord } from '../record-store.ts'
import { CLOCK, type SessionTables, toTime } from './session-database.ts'

interface RecordRow {
  readonly value: string
  readonly version: number
  readonly expires_at: number | null
}

/** Whose record it is: parameters 2 to 5. */
const IS_ASKED = 'endpoint = $2 AND collection = $3 AND key = $4 AND owner = $5'
const IS_LIVE = '(expires_at IS NULL OR expires_at > now)'

/** Records in a database that several processes share. */
export class PostgresRecordStore implements RecordStore {
  readonly #tables: SessionTables
  readonly #table: string

  constructor(tables: SessionTables) {
    this.#tables = tables
    this.#table = `${tables.schema}.mcp_record`
  }

  async read(key: RecordKey): Promise<StoredRecord | undefined> {
    const [row] = await this.#tables.database.query<RecordRow>(
      `WITH ${CLOCK} SELECT value, version, expires_at FROM ${this.#table}, clock
         WHERE ${IS_ASKED} AND ${IS_LIVE}`,
      this.#asked(key),
    )
    return row && { value: row.value, version: row.version, expiresAt: row.expires_at }
  }

  async write({ replaces, ...record }: RecordWrite): Promise<boolean> {
    return replaces === 0 ? await this.#insert(record) : await this.#replace(record, replaces)
  }

  async remove(key: RecordKey): Promise<boolean> {
    const removed = await this.#tables.database.query(
      `WITH ${CLOCK} DELETE FROM ${this.#table} USING clock
         WHERE ${IS_ASKED} AND ${IS_LIVE} RETURNING key`,
      this.#asked(key),
    )
    return removed.length > 0
  }

  /** Takes the place of an expired record, also one of another owner. */
  async #insert(record: Omit<RecordWrite, 'replaces'>): Promise<boolean> {
    const inserted = await this.#tables.database.query(
      `WITH ${CLOCK}
       INSERT INTO ${this.#table} AS r (endpoint, collection, key, owner, value, version, expires_at)
         VALUES ($2, $3, $4, $5, $6, 1, $7)
         ON CONFLICT (endpoint, collection, key) DO UPDATE SET owner = excluded.owner,
             value = excluded.value, version = 1, expires_at = excluded.expires_at
           WHERE r.expires_at <= (SELECT now FROM clock)
         RETURNING r.key`,
      [...this.#asked(record), record.value, record.expiresAt],
    )
    return inserted.length > 0
  }

  async #replace(record: Omit<RecordWrite, 'replaces'>, version: number): Promise<boolean> {
    const replaced = await this.#tables.database.query(
      `WITH ${CLOCK} UPDATE ${this.#table} SET value = $6, expires_at = $7, version = version + 1
         FROM clock WHERE ${IS_ASKED} AND ${IS_LIVE} AND version = $8 RETURNING key`,
      [...this.#asked(record), record.value, record.expiresAt, version],
    )
    return replaced.length > 0
  }

  #asked({ collection, key, owner }: RecordKey): unknown[] {
    return [toTime(this.#tables), this.#tables.endpoint, collection, key, owner]
  }
}
