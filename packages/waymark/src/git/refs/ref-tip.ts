import { isCorruption } from '../objects/read-object.ts'
import { brokenRef, damagedRef } from './damaged-ref.ts'
import { readRef, type RefSource } from './ref-state.ts'
import type { CommitId } from '../history/commit-id.ts'

/** The commit that a ref points to, or undefined while there is no such ref. One that leads to nothing is a Failure. */
export async function refTip(git: RefSource, ref: string): Promise<CommitId | undefined> {
  const state = await readRef(git, ref)
  if (state.kind === 'commit') return state.id
  if (state.kind === 'absent') return undefined
  throw damagedRef(ref, state)
}

/** The same, and its tree is there too. */
export async function soundTip(git: RefSource, ref: string): Promise<CommitId | undefined> {
  const tip = await refTip(git, ref)
  if (tip !== undefined) await assertTree(git, ref, tip)
  return tip
}

export async function assertTree(
  { objects }: Pick<RefSource, 'objects'>,
  ref: string,
  tip: CommitId,
): Promise<void> {
  try {
    if ((await objects.info(`${tip}^{tree}`)) !== undefined) return
  } catch (error) {
    if (!isCorruption(error)) throw error
  }
  throw brokenRef(ref, 'its tree is not in this repository')
}
