import type { ReadContext } from '../../../core/context.ts'

/** After the remote could not be reached, it is not tried again for so long; claims and syncs do try. */
const RETRY_AFTER_MS = 5 * 60 * 1000

/** Has other clones told of leases that ended with this call, where the remote grants claims. */
export async function noteEnds(context: ReadContext): Promise<void> {
  const { store, coordination, access, upkeep } = context
  if (coordination === 'local' || access.readOnly) return
  const { readAt, failedAt } = await store.leases.shared.state()
  if (readAt === null) return
  const now = await store.now(context)
  if (failedAt !== null && Math.abs(now - failedAt) < RETRY_AFTER_MS) return
  if (await store.leases.shared.hasEnds(now)) upkeep.later('endedLeases', null)
}
