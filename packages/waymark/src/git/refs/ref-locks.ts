import { rmSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Repository } from '../repository.ts'

export interface RefLock {
  /** From the top of the working tree. */
  readonly path: string
  readonly ageMs: number
}

type Place = Pick<Repository, 'root' | 'layout'>

/** Git holds these for the moment in which a ref moves. */
export function findRefLocks(place: Place, refs: Iterable<string>, now: number): RefLock[] {
  const { commonDir } = place.layout()
  const names = [...new Set(refs)].map((ref) => `${ref}.lock`)
  return [...names, 'packed-refs.lock'].flatMap((name) => {
    const path = join(commonDir, name)
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats?.isFile() !== true) return []
    return [{ path: shownPath(place, path), ageMs: Math.max(0, now - stats.mtimeMs) }]
  })
}

export function removeRefLock({ root }: Place, { path }: RefLock): void {
  rmSync(join(root, path), { force: true })
}

/** A path as a person would type it at the top of the working tree. */
export function shownPath({ root }: Pick<Place, 'root'>, path: string): string {
  return relative(root, path).replaceAll('\\', '/')
}
