import { answeredBefore } from '../../../core/change.ts'
import type { Context } from '../../../core/context.ts'
import { Failure } from '../../../core/error.ts'
import { type Warning, warning } from '../../../core/warning.ts'
import { parseReference } from '../../../entity/reference.ts'
import { findCoordinator } from '../../../sync/live/coordination.ts'
import { clampLease, LONGEST_LEASE } from '../lease.ts'
import type { Ticket } from '../rules.ts'
import { acquire, type Choose, settleClaims } from './acquire.ts'

/** How a claim is granted. Empty where this clone grants it. */
export interface Granting {
  readonly ticket?: Ticket
  readonly isProvisional?: true
  /** There is nothing that the remote could grant: the caller holds the task already, or no task is free. */
  readonly hasNone?: true
  readonly remark?: Warning
}

/** Asks the remote for a claim where it grants them; see `coordination` in the settings. */
export async function grantFor(
  context: Context,
  { offline }: { readonly offline: boolean },
  choose: Choose,
): Promise<Granting> {
  const coordinator = await findCoordinator(context)
  if (coordinator === undefined) return await grantedHere(context)
  if (offline) return { isProvisional: true, remark: PROVISIONAL }
  // A repeated call gets the answer of the first.
  if ((await answeredBefore(context)) !== undefined) return { hasNone: true }
  try {
    const ticket = await acquire(context, coordinator, choose)
    return ticket === undefined ? { hasNone: true } : { ticket }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { reason } = error.details
    // Told once: from now on this clone grants claims, as the settings say.
    if (reason === 'push_refused' && context.coordination === 'auto')
      return { remark: localClaim(error.message) }
    throw reason === 'remote_unreachable' ? withWaysOut(error) : error
  }
}

/** This clone grants claims. Where that is because the last push failed, it is told once. */
async function grantedHere({ store, coordination }: Context): Promise<Granting> {
  if (coordination !== 'auto') return {}
  const { refusal } = await store.replica.pushState.get()
  if (refusal === null || (await store.leases.shared.state()).refusal !== null) return {}
  await store.write(({ leases }) => leases.shared.setState({ refusal }))
  return { remark: localClaim(`the last push failed: ${refusal}`) }
}

function localClaim(why: string): Warning {
  return warning('local_claim', `${why}; until then claims hold in this clone only`)
}

const PROVISIONAL = warning(
  'provisional',
  'claimed without the remote: another clone may have the task; the next `waymark sync` settles it',
)

function withWaysOut({ code, message, details }: Failure): Failure {
  const ways =
    'claims are granted by the remote, so nothing was claimed; try again when it can be reached, or claim provisionally with --offline'
  return new Failure(code, `${message}; ${ways}`, { details })
}

/** Has the lease at the remote renewed if it ends before the wanted time; without the remote it is renewed up to its end. */
export async function renewAtRemote(
  context: Context,
  { id, seconds }: { readonly id: string; readonly seconds: number | undefined },
): Promise<void> {
  const { store } = context
  const now = await store.now(context)
  const rows = (await store.leases.shared.rows(now)).filter(({ state }) => state === 'held')
  if (rows.length === 0) return
  const [named] = await store.replica.named(parseReference(id, 'id'))
  const row = rows.find(({ taskId }) => taskId === named?.row.id)
  if (row === undefined || row.expiresAt > now + 1000 * clampLease(seconds ?? LONGEST_LEASE)) return
  const coordinator = await findCoordinator(context)
  if (coordinator === undefined) return
  try {
    await settleClaims(context, coordinator, { extend: row.taskId })
  } catch (error) {
    if (!(error instanceof Failure) || error.details.reason !== 'remote_unreachable') throw error
  }
}
