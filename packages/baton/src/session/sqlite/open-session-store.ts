import type { SessionStore } from '../session-store.ts'
import type { SqliteSessionStoreOptions } from './session-store.ts'

/** Opens a session store in a file that survives restarts and that several processes can share. */
export async function openSqliteSessionStore(
  options: SqliteSessionStoreOptions,
): Promise<SessionStore> {
  // Loaded here, because most programs that import this entry keep no sessions.
  const { openSessionStore } = await import('./session-store.ts')
  return await openSessionStore(options)
}
