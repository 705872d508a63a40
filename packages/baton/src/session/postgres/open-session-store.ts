import type { SessionLimits } from '../session-limits.ts'
import type { SessionStore } from '../session-store.ts'
import type { SessionDatabase } from './session-database.ts'

/** Options of a session store in PostgreSQL. */
export interface PostgresSessionStoreOptions {
  readonly database: SessionDatabase
  /** The schema of the tables that `sessionTables` creates. */
  readonly schema: string
  /** Stores of the same name share sessions. A session with one set of tools is none with another. */
  readonly endpoint: string
  readonly limits?: Partial<SessionLimits>
  /** Epoch milliseconds; the clock of the database when absent, because processes on several machines disagree. */
  readonly now?: () => number
}

/** Opens a session store in PostgreSQL: a session continues in any process that uses the same tables. */
export async function openPostgresSessionStore(
  options: PostgresSessionStoreOptions,
): Promise<SessionStore> {
  // Imported lazily, because most programs that import this entry need no session store.
  const { PostgresSessionStore } = await import('./session-store.ts')
  return new PostgresSessionStore(options)
}
