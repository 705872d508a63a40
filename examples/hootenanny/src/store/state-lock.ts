import { Connection, isBusy } from '@waymark/sqlite'
import { StudioError } from '../error.ts'

/**
 * Takes a folder for one process alone: two studios would both restart the same jobs. SQLite's file lock does it on
 * every system, and it ends with the process however that ends.
 */
export function lockState(path: string): Disposable {
  let lock: Connection | undefined
  try {
    lock = new Connection(path, 'create')
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock?.close()
    if (!isBusy(error)) throw error
    throw new StudioError('another studio uses this state folder; stop it or choose another folder')
  }
  return { [Symbol.dispose]: () => lock.close() }
}
