import type { Repository } from '../repository.ts'
import { readRef, type RefState } from './ref-state.ts'
import type { CommitId } from '../history/commit-id.ts'

/** What is wrong with a ref, or with its history. */
export interface RefDamage {
  readonly problem: string
  readonly isSymbolic: boolean
}

/** Whether a ref leads to a commit, and that to all those before it. What the commits hold is not looked at. */
export async function inspectRef(
  git: Pick<Repository, 'run' | 'objects' | 'layout'>,
  ref: string,
): Promise<{ readonly state: RefState; readonly damage?: RefDamage }> {
  const state = await readRef(git, ref)
  if (state.kind === 'symbolic') {
    const problem = `it is a symbolic ref to ${JSON.stringify(state.target.slice(0, 100))}`
    return { state, damage: { problem, isSymbolic: true } }
  }
  if (state.kind === 'damaged')
    return { state, damage: { problem: state.problem, isSymbolic: false } }
  if (state.kind === 'absent') return { state }
  if (await hasHistory(git, state.id)) return { state }
  return { state, damage: { problem: 'an older commit of it is missing', isSymbolic: false } }
}

/** Whether all commits before this one are there. */
export async function hasHistory(
  { run }: Pick<Repository, 'run'>,
  commit: CommitId,
): Promise<boolean> {
  return (await run(['rev-list', '--count', commit])).exitCode === 0
}
