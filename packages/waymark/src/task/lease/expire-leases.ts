import type { Context, ReadContext } from '../../core/context.ts'
import { change } from '../../core/change.ts'
import { sweepLeases } from './rules.ts'

/**
 * Has expired leases recorded, so that the answer lists their events. Correctness does not depend on it: readers compare
 * the expiry time themselves, as they must in read-only mode.
 */
export async function settleExpiredLeases(context: ReadContext): Promise<void> {
  const { store, upkeep } = context
  const next = await store.leases.nextExpiry()
  if (next === undefined || next > (await store.now(context))) return
  upkeep.later('expiredLeases', null)
  await upkeep.settle()
}

export async function endExpiredLeases(context: Context): Promise<void> {
  await change(context, sweepLeases)
}
