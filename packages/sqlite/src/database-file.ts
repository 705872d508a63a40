import { type BigIntStats, closeSync, lstatSync, openSync } from 'node:fs'
import { SqliteError } from './sqlite-error.ts'

/** `read` and `write` need an existing file that is not empty; only `create` makes one. */
type FileAccess = 'read' | 'write' | 'create'
/** `memory` has no file: its path is only a name for errors. */
export type Access = FileAccess | 'memory'

/** The file to be opened, which has exactly this path: SQLite would follow a symbolic link. */
export function prepareFile(path: string, access: FileAccess): BigIntStats {
  if (access === 'create' && statFile(path) === undefined) createFile(path)
  const file = statFile(path)
  if (file === undefined) throw new SqliteError('missing', 'the database is missing')
  assertRegular(file, path)
  // SQLite takes an empty file for a new database, which would hide that the data is gone.
  if (access !== 'create' && file.size === 0n)
    throw new SqliteError('empty', 'the database is empty')
  return file
}

export function statFile(path: string): BigIntStats | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false })
}

/** SQLite would create the file readable for all users; its side files take the mode from this one. */
function createFile(path: string): void {
  try {
    // Fails without opening a file that another process has just created: closing that one again would drop the locks
    // that this process may hold on it.
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'EEXIST') throw error
  }
}

function assertRegular(file: BigIntStats, path: string): void {
  if (file.isFile()) return
  const kind = kindOf(file)
  throw new SqliteError('not_regular', `the database is a ${kind}, not a regular file`, {
    details: { kind, path },
  })
}

function kindOf(file: BigIntStats): string {
  if (file.isSymbolicLink()) return 'symbolic link'
  if (file.isDirectory()) return 'folder'
  return file.isFIFO() ? 'named pipe' : 'socket or device'
}
