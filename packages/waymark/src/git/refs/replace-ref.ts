import { existsSync, lstatSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../core/error.ts'
import { hasCode } from '../../support/system-error.ts'
import { FLUSHED } from '../objects/flushed.ts'
import { isObjectId } from '../objects/object-id.ts'
import type { Repository } from '../repository.ts'
import { toGitFailure } from '../run.ts'
import { isLocked, lockedRef } from './move-ref.ts'
import { readLoose, readRef, type RefState } from './ref-state.ts'

type Place = Pick<Repository, 'root' | 'run' | 'objects' | 'layout' | 'stateDir'>

/**
 * Gives a damaged ref another value, or takes it away. Only the ref itself is touched, never what a symbolic ref or a
 * link leads to. What stood there is written down first.
 */
export async function replaceRef(
  place: Place,
  { ref, to, at }: { readonly ref: string; readonly to: string | undefined; readonly at: number },
): Promise<void> {
  const { commonDir } = place.layout()
  const file = join(commonDir, ref)
  // Before anything is removed: git could not write it again.
  if (existsSync(`${file}.lock`)) throw lockedRef(place, ref)
  const state = await readRef(place, ref)
  keepValue(place.stateDir, { ref, at, value: valueOf(state) })
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
  if (
    state.kind === 'symbolic' &&
    !isLink &&
    readLoose(commonDir, ref)?.startsWith('ref:') !== true
  )
    throw linkedFolder(state.target)
  // Git refuses to move a ref whose file it does not understand.
  if (isLink || (state.kind === 'damaged' && !isObjectId(state.value)))
    rmSync(file, { force: true })
  const args = to === undefined ? ['-d', ref] : ['-m', 'waymark doctor', ref, to]
  const result = await place.run([...FLUSHED, 'update-ref', '--no-deref', ...args])
  if (result.exitCode === 0) return
  throw isLocked(result) ? lockedRef(place, ref) : toGitFailure(result)
}

interface Replaced {
  readonly ref: string
  readonly value: string
  readonly at: number
}

/** In the state folder: what stood in a ref that was replaced. */
function keepValue(stateDir: string, { ref, value, at }: Replaced): void {
  const text = `${JSON.stringify({ ref, value, replaced_at: new Date(at).toISOString() })}\n`
  for (let count = 1; ; count += 1) {
    const path = join(stateDir, `replaced-ref-${at}-${count}.json`)
    try {
      writeFileSync(path, text, { flag: 'wx', mode: 0o600 })
      return
    } catch (error) {
      if (!hasCode(error, ['EEXIST'])) throw error
    }
  }
}

export function valueOf(state: RefState): string {
  switch (state.kind) {
    case 'absent':
      return ''
    case 'commit':
      return state.id
    case 'symbolic':
      return `ref: ${state.target}`
    case 'damaged':
      return state.value
  }
}

function linkedFolder(folder: string): Failure {
  return new Failure(
    'storage_corrupt',
    `${folder} in the Git folder is a link to another folder; replace it with a folder of its own`,
  )
}
