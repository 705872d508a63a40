import { isAbsolute } from 'node:path'
import { writtenName } from '../../support/files/named-places.ts'
import type { EntityRow } from '../../entity/store.ts'

type Properties = EntityRow['properties']

/** The same properties, with absolute locks stored from the top of the repository: other clones lie elsewhere. */
export function withStoredLocks(properties: Properties, root: string): Properties {
  const locks: unknown = properties['locks']
  if (!Array.isArray(locks) || !locks.some(isAbsoluteText)) return properties
  const stored = locks.map((lock: unknown) =>
    isAbsoluteText(lock) ? (writtenName(root, lock) ?? lock) : lock,
  )
  return { ...properties, locks: stored }
}

function isAbsoluteText(lock: unknown): lock is string {
  return typeof lock === 'string' && isAbsolute(lock)
}
