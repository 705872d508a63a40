import { join } from 'node:path'
import type { SessionStore } from '@waymark/baton/http'
import { openSqliteSessionStore } from '@waymark/baton/node'
import { createFile } from '../../files/regular-file.ts'
import { assertStateFolder } from '../../files/state-entries.ts'

/** In a file of their own for each endpoint: a session with one set of tools is none with another. */
export async function openSessions(state: string, dialect: string): Promise<SessionStore> {
  // By what addresses call it: two of them may be the same dialect with more or fewer tools.
  const path = join(state, `http-sessions-${dialect.replaceAll(/[^\w-]+/g, '+')}.db`)
  // The server may have been started long ago.
  assertStateFolder(state)
  // SQLite would let all users read the file that it makes.
  createFile(path, '')
  return await openSqliteSessionStore({ path })
}
