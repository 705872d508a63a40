import { Connection } from './sqlite/connection.ts'
import { openHandle } from './sqlite/driver.ts'
import { patiently } from './sqlite/patience.ts'
import { databasePath } from './state-folder.ts'

const PATIENCE_MS = 15_000
const MOST_PROBLEMS = 10

/** The SQLite that this process uses. Throws if it is one that must not be used. */
export function sqliteVersion(): string {
  const handle = openHandle('file::memory:', { readOnly: false, timeout: 0 })
  try {
    const row = handle.prepare('SELECT sqlite_version() AS version').get()
    return (row as { version: string }).version
  } finally {
    handle.close()
  }
}

/** What SQLite finds wrong when it reads through a project's whole database; nothing, if all is well. */
export async function findDamage(stateDir: string): Promise<readonly string[]> {
  const path = databasePath(stateDir)
  const connection = await patiently(() => new Connection(path, 'read'), PATIENCE_MS)
  try {
    // One row at a time: the packaged driver loses the error's code when it reads all rows of a damaged file.
    const row = await patiently(
      () => connection.get<{ quick_check: string }>(`PRAGMA quick_check(${MOST_PROBLEMS})`),
      PATIENCE_MS,
    )
    const lines = row?.quick_check.split('\n') ?? []
    return lines.filter((line) => line !== 'ok' && !line.startsWith('***'))
  } finally {
    connection.close()
  }
}
