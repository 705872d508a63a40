import { workerData } from 'node:worker_threads'
import { Connection } from '@waymark/sqlite'
import { retryWhileBusy } from './failures.ts'
import { CACHE } from './database.ts'

/** The database, and how many milliseconds it may wait for other writers. */
export interface Vacuum {
  readonly path: string
  readonly patience: number
}

/** Rewrites a database, in a thread of its own: readers go on, and so does the event loop. */
const { path, patience } = workerData as Vacuum
const connection = new Connection(path, 'write', CACHE)
try {
  // The new file is built as a temporary database, which must not be in memory.
  connection.exec('PRAGMA temp_store = FILE')
  await retryWhileBusy(() => connection.exec('VACUUM'), patience)
} finally {
  connection.close()
}
