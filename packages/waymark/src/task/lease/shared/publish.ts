import type { Context } from '../../../core/context.ts'
import { findCoordinator } from '../../../sync/live/coordination.ts'
import { settleClaims } from './acquire.ts'

/** The call has its answer already; what cannot be published now is published with the next claim or sync. */
const PATIENCE_MS = 8_000

/** Frees leases at the remote that ended here, and lists tasks there that were closed here. */
export async function publishEnds(context: Context): Promise<void> {
  const coordinator = await findCoordinator(context)
  if (coordinator === undefined) return
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(PATIENCE_MS)])
  const { store } = context
  // A claim of another agent that was first has published them already.
  const isDue = async () => await store.leases.shared.hasEnds(await store.now(context))
  await settleClaims({ ...context, signal }, coordinator, { isDue })
}
