import { isAbsolute } from 'node:path'
import { writtenName } from '../files/named-places.ts'
import type { Entities, EntityRow } from '../store/entities.ts'

/** The same entities, with absolute locks stored from the top of the repository: other clones lie elsewhere. */
export function withStoredLocks(entities: Entities, root: string | undefined): Entities {
  if (root === undefined) return entities
  return {
    ...entities,
    insert: (entity) => entities.insert({ ...entity, ...storedLocks(entity, root) }),
    update: (id, changes, stamp) =>
      entities.update(id, { ...changes, ...storedLocks(changes, root) }, stamp),
  }
}

function storedLocks(
  { properties }: Partial<Pick<EntityRow, 'properties'>>,
  root: string,
): Partial<Pick<EntityRow, 'properties'>> {
  const locks: unknown = properties?.['locks']
  if (!Array.isArray(locks) || !locks.some(isAbsoluteText)) return {}
  const stored = locks.map((lock: unknown) =>
    isAbsoluteText(lock) ? (writtenName(root, lock) ?? lock) : lock,
  )
  return { properties: { ...properties, locks: stored } }
}

function isAbsoluteText(lock: unknown): lock is string {
  return typeof lock === 'string' && isAbsolute(lock)
}
