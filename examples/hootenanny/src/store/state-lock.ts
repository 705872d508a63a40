import { DatabaseSync } from '@photostructure/sqlite'
import { StudioError } from '../error.ts'

/**
 * Takes a folder for one process alone: two studios would both restart the same jobs. SQLite's file lock does it on
 * every system, and it ends with the process however that ends.
 */
export function lockState(path: string): Disposable {
  const lock = new DatabaseSync(path)
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (!/locked|busy/i.test(String(error))) throw error
    throw new StudioError('another studio uses this state folder; stop it or choose another folder')
  }
  return { [Symbol.dispose]: () => lock.close() }
}
