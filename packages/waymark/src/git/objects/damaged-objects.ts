import { lstatSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Repository } from '../repository.ts'
import { isObjectId } from './object-id.ts'
import { readObject } from './read-object.ts'

type Place = Pick<Repository, 'objects' | 'layout' | 'stateDir'>

/** In the state folder: files of objects that git cannot read. */
const FOLDER = 'damaged-objects'

/**
 * Moves the file of an object out of Git's way if it is damaged, an empty one after a power cut say. While it is there
 * git fails over it again and again, also when the same object is written anew.
 */
export async function moveDamagedAway(place: Place, id: string): Promise<void> {
  // Of an empty id the file would be the folder of all objects.
  if (!isObjectId(id)) return
  const file = join(place.layout().commonDir, 'objects', id.slice(0, 2), id.slice(2))
  const isFile = lstatSync(file, { throwIfNoEntry: false })?.isFile() === true
  if (!isFile || !(await isDamaged(place, id))) return
  mkdirSync(join(place.stateDir, FOLDER), { recursive: true, mode: 0o700 })
  renameSync(file, join(place.stateDir, FOLDER, id))
}

/** Reads all of it: the beginning of a file may be whole where the rest is not. */
async function isDamaged({ objects }: Place, id: string): Promise<boolean> {
  return (await readObject(objects, Number.MAX_SAFE_INTEGER, id)) === 'missing'
}
