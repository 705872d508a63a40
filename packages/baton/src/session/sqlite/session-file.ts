import { type Connection, openDatabase, SqliteError, type SqliteModule } from '@waymark/sqlite'
import { SCHEMA } from './schema.ts'

const MESSAGES: Readonly<Record<string, string>> = {
  foreign_file: 'the session file is a database of another application',
  newer_file: 'the session file was written by a newer version of baton',
  not_regular: 'the session file is a symbolic link or not a regular file; name a file',
}

/** Opens the file of a session store, and creates it if it does not exist. */
export async function openSessionFile(path: string, sqlite?: SqliteModule): Promise<Connection> {
  try {
    return await openDatabase(path, { schema: SCHEMA, sqlite })
  } catch (error) {
    const message = error instanceof SqliteError ? MESSAGES[error.code] : undefined
    throw message === undefined ? error : new Error(message, { cause: error })
  }
}
