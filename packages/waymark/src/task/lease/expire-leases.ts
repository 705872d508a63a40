import type { Context } from '../../core/context.ts'
import { change } from '../../core/change.ts'
import { sweepLeases } from './rules.ts'

/**
 * Records expired leases, so that subscribers get their events. Correctness does not depend on it: readers check the
 * expiry time themselves. A no-op in read-only mode.
 */
export async function expireLeases(context: Context): Promise<void> {
  if (context.access.readOnly) return
  const { store } = context
  const next = await store.leases.nextExpiry()
  if (next === undefined || next > (await store.now(context))) return
  await change(context, sweepLeases)
}
