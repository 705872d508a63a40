import { damagedRef } from './damaged-ref.ts'
import { readRef, type RefSource } from './ref-state.ts'

/** The commit that a ref points to, or undefined while there is no such ref. One that leads to nothing is a Failure. */
export async function refTip(git: RefSource, ref: string): Promise<string | undefined> {
  const state = await readRef(git, ref)
  if (state.kind === 'commit') return state.id
  if (state.kind === 'absent') return undefined
  throw damagedRef(ref, state)
}
