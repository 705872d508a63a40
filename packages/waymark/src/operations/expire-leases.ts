import type { Context } from '../context.ts'
import { change } from './change.ts'
import { sweepLeases } from './leases.ts'

/**
 * Writes down the leases that have run out, if there are any. Nothing depends on it, since every reader judges a
 * lease by its time; it is for those who want to hear of it. Does nothing where nothing may be written.
 */
export async function expireLeases(context: Context): Promise<void> {
  if (context.access.readOnly) return
  const { store } = context
  const next = await store.leases.nextExpiry()
  if (next === undefined || next > (await store.now(context))) return
  await change(context, sweepLeases)
}
