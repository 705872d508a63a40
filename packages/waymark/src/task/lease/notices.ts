import { callerId } from '../../agent/agent.ts'
import type { Context, ReadContext } from '../../core/context.ts'
import { type Line, line, own, titled } from '../../core/show.ts'
import type { LeaseNotice } from './store.ts'

/**
 * Tells the caller which of its leases were ended without it, beside the answer of whatever it calls next. A notice is
 * removed when the call succeeds, so that an answer that is lost with an error does not lose it.
 */
export async function tellLostLeases({ agent, store, tell, upkeep }: ReadContext): Promise<void> {
  const id = callerId(agent)
  if (tell === undefined || id === undefined) return
  const notices = await store.leases.noticesFor(id)
  if (notices.length === 0) return
  for (const notice of notices) tell(notice)
  upkeep.later('leaseNotices', notices)
}

export async function removeNotices(
  context: Context,
  notices: readonly LeaseNotice[],
): Promise<void> {
  await context.store.write(async (tx) => {
    for (const notice of notices) await tx.leases.removeNotice(notice)
  }, context)
}

/** A notice as one line for a model. */
export function showNotice({ number, fence, how, by, reason }: LeaseNotice): Line {
  const owner = by === null ? own('the owner') : line`the owner (${titled(by)})`
  const why = reason === null ? undefined : line`: ${titled(reason)}`
  return line`lease_lost: ${how === 'sync' ? own('sync') : owner} ended your lease on #${number} (fence ${fence})${why}; stop working on it`
}
