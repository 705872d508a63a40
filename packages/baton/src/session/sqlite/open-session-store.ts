import type { SessionStore } from '../session-store.ts'
import type { SqliteSessionStoreOptions } from './session-store.ts'

/** Opens a durable session store in a file, which several processes can share. */
export async function openSqliteSessionStore(
  options: SqliteSessionStoreOptions,
): Promise<SessionStore> {
  // Imported lazily, because most programs that import this entry need no session store.
  const { openSessionStore } = await import('./session-store.ts')
  return await openSessionStore(options)
}
