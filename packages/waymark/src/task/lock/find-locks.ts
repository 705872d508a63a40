import { Failure } from '../../core/error.ts'
import { covers } from '../../support/text/glob.ts'
import type { NamedPlace, NamedPlaces } from '../../support/files/named-places.ts'
import type { EntityReader, EntityRow } from '../../entity/store.ts'
import type { HeldLeaseRow, LeaseReader } from '../lease/store.ts'

// Without schemas: a hook runs it before each edit of a file.

/** A pattern of files that the holder of a task has reserved. */
export interface Lock {
  readonly lease: HeldLeaseRow
  readonly task: EntityRow
  readonly pattern: string
}

export interface LockSource {
  readonly entities: EntityReader
  readonly leases: LeaseReader
}

/** All that agents have reserved. */
export async function findLocks({ entities, leases }: LockSource, now: number): Promise<Lock[]> {
  const found: Lock[] = []
  for (const lease of await leases.held(now)) {
    const task = await entities.byId(lease.taskId)
    if (task === undefined) continue
    found.push(...patternsOf(task).map((pattern) => ({ lease, task, pattern })))
  }
  return found
}

/** The patterns of the files that a task reserves. */
export function patternsOf({ properties: { locks } }: EntityRow): readonly string[] {
  return Array.isArray(locks) ? locks.filter((lock) => typeof lock === 'string') : []
}

/** Undefined for a path that leads out of the project. */
export async function locate(places: NamedPlaces, path: string): Promise<NamedPlace | undefined> {
  try {
    return await places.locate(path)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

export function isCovered({ names, isFolder }: NamedPlace, patterns: readonly string[]): boolean {
  return patterns.some((one) => names.some((name) => covers(one, name, { isFolder })))
}
