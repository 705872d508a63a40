import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GitCalls } from '../repository.ts'
import { FLUSHED } from './flushed.ts'
import { fileOf, packFolder, removeAbandonedKeeps, removePack } from './object-writer.ts'

/** Git collects garbage by itself, and packs everything anew, when it finds more than fifty packs. */
const MOST_PACKS = 16

/** A pack this large is left as it is. */
const LARGEST_COMBINED = 4 * 1024 * 1024

/** In the state folder: an empty file for each pack that was written here, with its name. */
const MARKS = 'packs'

interface Place extends Pick<GitCalls, 'run' | 'layout'> {
  readonly stateDir: string
}

/**
 * Remembers packs that were written here and makes one of them when there are many. The new pack has every object of
 * the old ones, reachable or not, so that nothing is lost by what else happens in the repository at this moment.
 * It is housekeeping: an error costs nothing but room.
 */
export async function combinePacks(place: Place, written: readonly string[]): Promise<void> {
  const marks = join(place.stateDir, MARKS)
  try {
    mkdirSync(marks, { recursive: true, mode: 0o700 })
    for (const pack of written) mark(marks, pack)
    const folder = packFolder(place)
    const marked = readdirSync(marks).filter((name) => /^[0-9a-f]{40,64}$/.test(name))
    if (marked.length < MOST_PACKS || isGitAtWork(place, folder)) return
    removeAbandonedKeeps(place)
    const packs = marked.filter((pack) => isCombinable(folder, pack))
    const left = packs.length < MOST_PACKS ? packs : await combine(place, folder, packs)
    for (const pack of left) if (!marked.includes(pack)) mark(marks, pack)
    for (const pack of marked) if (!left.includes(pack)) rmSync(join(marks, pack), { force: true })
  } catch {
    // The next writer tries again.
  }
}

function mark(marks: string, pack: string): void {
  writeFileSync(join(marks, pack), '', { flag: 'wx', mode: 0o600 })
}

/** A repack would meet packs that vanish; and an index of many packs names those that it was made of. */
function isGitAtWork({ layout }: Pick<Place, 'layout'>, folder: string): boolean {
  return (
    existsSync(join(layout().commonDir, 'gc.pid')) || existsSync(join(folder, 'multi-pack-index'))
  )
}

function isCombinable(folder: string, pack: string): boolean {
  if (['keep', 'promisor'].some((kind) => existsSync(fileOf(folder, pack, kind)))) return false
  const size = statSync(fileOf(folder, pack, 'pack'), { throwIfNoEntry: false })?.size
  return size !== undefined && size < LARGEST_COMBINED
}

async function combine(
  place: Place,
  folder: string,
  packs: readonly string[],
): Promise<readonly string[]> {
  const args = [
    ...FLUSHED,
    '-c',
    'pack.packSizeLimit=0',
    'pack-objects',
    '--quiet',
    '--stdin-packs',
    join(folder, 'pack'),
  ]
  const input = packs.map((pack) => `pack-${pack}.pack\n`).join('')
  const { exitCode, stdout } = await place.run(args, { input })
  const [made = ''] = stdout.trim().split('\n')
  // Git before 2.32 cannot do this. Then its own garbage collection does, sooner than it otherwise would.
  if (exitCode !== 0 || !existsSync(fileOf(folder, made, 'idx'))) return []
  for (const pack of packs) if (pack !== made) removePack(folder, pack)
  return [made]
}
