import type { Context } from '../core/context.ts'
import { Failure } from '../core/error.ts'
import { type SettledClaims, settleClaims } from '../task/lease/shared/acquire.ts'
import { findCoordinator } from './live/coordination.ts'
import type { Remote } from './remote/remote.ts'

export interface ClaimReport extends SettledClaims {
  /** Why claims could not be settled. */
  readonly problem?: string
}

const NOTHING: ClaimReport = { lost: [], reopened: [] }

/**
 * Settles claims with the remote before the log is exchanged, so that a task which was closed here while another clone
 * held it does not arrive there as done. What fails here does not stop the exchange.
 */
export async function settleAtSync(
  context: Context,
  remote: Remote | undefined,
  { push }: { readonly push: boolean },
): Promise<ClaimReport> {
  const { store, coordination } = context
  if (coordination === 'local') {
    const { readAt } = await store.leases.shared.state()
    if (readAt !== null) await store.write(({ leases }) => leases.shared.forget())
    return NOTHING
  }
  if (remote === undefined) return NOTHING
  try {
    // A sync tries again what the remote has refused before.
    if (push && (await store.leases.shared.state()).refusal !== null) {
      await store.write(({ leases }) => leases.shared.setState({ refusal: null }))
    }
    const coordinator = await findCoordinator(context)
    if (coordinator?.remote.name !== remote.name) return NOTHING
    return await settleClaims(context, coordinator, { push })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { ...NOTHING, problem: error.message }
  }
}
