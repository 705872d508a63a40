import type { Context } from '../core/context.ts'
import { Failure } from '../core/error.ts'
import type { Remotes } from '../git/remote/remotes.ts'
import { type SettledClaims, settleClaims } from '../task/lease/shared/acquire.ts'
import { findCoordinator } from './live/coordination.ts'
import type { Remote } from './remote/remote.ts'
import type { RemoteTips } from './remote/remote-tips.ts'

export interface ClaimReport extends SettledClaims {
  /** Why claims could not be settled. */
  readonly problem?: string
}

const NOTHING: ClaimReport = { lost: [], reopened: [] }

interface SettleAtSync {
  readonly push: boolean
  readonly remotes: Remotes
  /** What the remote's refs pointed to a moment ago. */
  readonly tips?: RemoteTips | undefined
}

/**
 * Settles claims with the remote before the log is exchanged, so that a task which was closed here while another clone
 * held it does not arrive there as done. What fails here does not stop the exchange.
 */
export async function settleAtSync(
  context: Context,
  remote: Remote | undefined,
  { push, remotes, tips }: SettleAtSync,
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
    const coordinator = await findCoordinator(context, remotes)
    if (coordinator?.remote.name !== remote.name) return NOTHING
    return await settleClaims(context, coordinator, { push, tips })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { ...NOTHING, problem: error.message }
  }
}

/** The exchange failed, and with it the report in which the refusal of the register would be: the next claim tells it. */
export async function rethrowUntold(
  { store }: Context,
  settled: ClaimReport | undefined,
  error: unknown,
): Promise<never> {
  if (settled?.problem !== undefined)
    await store.write(({ leases }) => leases.shared.setState({ refusal: null }))
  throw error
}
