import { Failure } from '../../core/error.ts'
import type { Reason } from '../../core/reason.ts'
import type { RefState } from './ref-state.ts'

export const REF_DAMAGED = 'ref_damaged' satisfies Reason

const REPAIR = 'run `waymark doctor --repair`'

/** What is said of a ref that must neither be read nor moved. */
export function damagedRef(
  ref: string,
  state: Exclude<RefState, { readonly kind: 'absent' | 'commit' }>,
): Failure {
  return state.kind === 'symbolic' ? symbolicRef(ref, state.target) : brokenRef(ref, state.problem)
}

export function brokenRef(ref: string, problem: string): Failure {
  return new Failure('storage_corrupt', `${ref} is damaged: ${problem}; ${REPAIR}`, {
    details: { reason: REF_DAMAGED, ref },
  })
}

function symbolicRef(ref: string, target: string): Failure {
  const shown = target.slice(0, 100)
  return new Failure(
    'storage_corrupt',
    `${ref} is a symbolic ref to ${JSON.stringify(shown)}, which would be moved in its place; ${REPAIR}`,
    { details: { reason: REF_DAMAGED, ref, target: shown } },
  )
}

/** The ref is gone while the store has a copy of what it led to, and no one has said that it should be. */
export function missingRef(ref: string, notes: number): Failure {
  return new Failure(
    'storage_corrupt',
    `${ref} is gone, but the store has a copy of its ${notes} notes; ${REPAIR} to write them again, ` +
      `or \`waymark code forget ${ref}\` to do without them`,
    { details: { reason: REF_DAMAGED, ref } },
  )
}

export function isDamagedRef(error: unknown): error is Failure {
  return error instanceof Failure && error.details.reason === REF_DAMAGED
}
