import type { GitCalls } from '../repository.ts'
import { listFolder, packFolder } from './object-writer.ts'

/** Whether git gets objects from a remote when they are needed: that one is not here is then no damage. */
export function isPartialClone(git: Pick<GitCalls, 'layout'>): boolean {
  return listFolder(packFolder(git)).some((name) => name.endsWith('.promisor'))
}
