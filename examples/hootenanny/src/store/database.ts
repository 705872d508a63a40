import { type Connection, openDatabase, SqliteError } from '@waymark/sqlite'
import { StudioError } from '../error.ts'
import { SCHEMA } from './schema.ts'

/** The studio's one SQLite file. */
export type Database = Connection

/** Opens the file and brings it up to date. */
export async function openStudioDatabase(path: string): Promise<Database> {
  try {
    return await openDatabase(path, { schema: SCHEMA })
  } catch (error) {
    if (error instanceof SqliteError && error.code === 'newer_file')
      throw new StudioError('the state folder was written by a newer version of the studio')
    throw error
  }
}
