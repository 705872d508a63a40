import { EventEmitter } from 'node:events'
import pg from 'pg'
import { openPostgresSessionStore, type SessionDatabase, sessionTables } from '@waymark/baton/node'
import type { SessionStoreOptions } from '../../src/session/session-limits.ts'
import type { SessionStore } from '../../src/session/session-store.ts'

const { builtins } = pg.types

/** A schema of its own for sessions, on the server of the tests. */
export interface SessionSchema extends AsyncDisposable {
  /** Another process, as far as the store can tell. */
  open(options?: SessionStoreOptions & { readonly hears?: boolean }): Promise<SessionStore>
  query<Row extends object>(sql: string): Promise<readonly Row[]>
}

export async function createSessionSchema(): Promise<SessionSchema> {
  const schema = `sessions_${crypto.randomUUID().replaceAll('-', '')}`
  const pool = new pg.Pool({
    connectionString: process.env['TEST_POSTGRES_URL'],
    max: 4,
    allowExitOnIdle: true,
    types: {
      getTypeParser: (id, format) =>
        id === builtins.INT8 || id === builtins.NUMERIC
          ? Number
          : pg.types.getTypeParser(id, format as 'text'),
    },
  })
  const query = async <Row extends object>(sql: string, values: readonly unknown[] = []) =>
    (await pool.query<Row>(sql, [...values])).rows
  await query(`CREATE SCHEMA ${schema}`)
  for (const statement of sessionTables(schema)) await query(statement)
  const signals = new EventEmitter().setMaxListeners(0)
  const database = (hears: boolean): SessionDatabase => ({
    query,
    signal: (topic) => void signals.emit(topic),
    watch: (topic, wake) => {
      if (!hears) return () => {}
      signals.on(topic, wake)
      return () => void signals.off(topic, wake)
    },
  })
  return {
    open: ({ hears = true, ...options } = {}) =>
      openPostgresSessionStore({
        database: database(hears),
        schema,
        endpoint: 'test',
        ...options,
      }),
    query: (sql) => query(sql.replaceAll('SCHEMA', schema)),
    [Symbol.asyncDispose]: async () => {
      await query(`DROP SCHEMA ${schema} CASCADE`)
      await pool.end()
    },
  }
}
