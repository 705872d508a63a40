import type { AgentRow } from '../../../agent/store.ts'
import { type Change, change } from '../../../core/change.ts'
import type { Context } from '../../../core/context.ts'
import { Failure } from '../../../core/error.ts'
import type { EntityRow } from '../../../entity/store.ts'
import { type Coordinator, withLive } from '../../../sync/live/coordination.ts'
import { fetchLive, type LiveRemote, pushLive, unreadable } from '../../../sync/live/live-remote.ts'
import type { RemoteTips } from '../../../sync/remote/remote-tips.ts'
import { LOST, retryLostRaces } from '../../../sync/live/races.ts'
import { hasRoom, type Register, toFiles } from '../../../sync/live/register.ts'
import { HIGHEST_FENCE } from '../../../sync/live/values.ts'
import type { HeldElsewhere } from '../elsewhere/holders.ts'
import type { Ticket } from '../rules.ts'
import {
  applySettled,
  identify,
  settle,
  type Settlement,
  SHARED_LEASE_MS,
  toAuthor,
} from './settle.ts'
import { newNonce, type SharedRow } from './store.ts'

/** A task that the caller may claim, as far as this clone knows. */
interface Candidate {
  readonly task: EntityRow
  readonly agent: AgentRow
  /** Whose lease in another clone it ends, because the caller asked for that. */
  readonly takenFrom?: HeldElsewhere | undefined
}

interface Reserved extends Candidate {
  /** The lease of this clone that the claim ends; it stands again if the claim is refused. */
  readonly before: SharedRow | undefined
}

/** Picks a task or throws; runs in a transaction that knows what the remote said last. `held`: the caller has it already. */
export type Choose = (change: Change) => Promise<Candidate | 'held' | undefined>

/**
 * Has a claim granted by the remote, in two round trips: read the register, replace it if it is still the same. On a lost
 * race both are repeated. Undefined if there is nothing to claim.
 */
export async function acquire(
  context: Context,
  coordinator: Coordinator,
  choose: Choose,
): Promise<Ticket | undefined> {
  // The answer under an idempotency key is that of the claim, which follows.
  const { repeatable: _, ...called } = context
  if (!(await isWorthAsking(called, choose))) return undefined
  let reserved: Reserved | undefined
  const withdraw = async (): Promise<void> => {
    if (reserved === undefined) return
    const { task, agent, before } = reserved
    await context.store.write(({ leases }) => leases.shared.withdraw(task.id, agent.id, before))
  }
  return await withLive(called, coordinator, async (live) => {
    const attempt = async (): Promise<Ticket | undefined | typeof LOST> => {
      const version = await fetchLive(live).catch(async (error: unknown) => {
        await withdraw()
        throw await noteFailure(called, error)
      })
      // By itself, so that what the remote said is known also if the claim is refused.
      const settlement = await change(called, (change) => settle(change, version.register))
      const { picked, granted } = await change(called, async (change) => {
        const chosen = await choose(change)
        const picked = chosen === 'held' ? undefined : chosen
        const { task, agent, before } = reserved ?? {}
        const isOther = task !== undefined && agent !== undefined && task.id !== picked?.task.id
        if (isOther) await change.leases.shared.withdraw(task.id, agent.id, before)
        const granted = picked && (await draftGrant(change, live, { settlement, picked }))
        return { picked, granted }
      }).catch(async (error: unknown) => {
        // Refused now: what an earlier attempt has asked for is not wanted any more.
        await withdraw()
        throw error
      })
      // A second attempt finds what the first has put there.
      const before = reserved?.task.id === picked?.task.id ? reserved?.before : granted?.before
      reserved = picked && { ...picked, before }
      const next = granted?.next ?? settlement.next
      if (granted === undefined && isSame(next, version.register)) return undefined
      if (!(await pushed(called, live, { version, next, withdraw }))) return LOST
      await change(called, async (change) => {
        await applySettled(change, { ...settlement, next })
        // Taken over by force: what is known of others has it still as theirs.
        if (picked !== undefined) await change.leases.shared.forgetForeign(picked.task.id)
      })
      return granted?.ticket
    }
    return await retryLostRaces(live, attempt).catch(async (error: unknown) => {
      if (error instanceof Failure && error.details.reason === 'push_rejected') await withdraw()
      throw error
    })
  })
}

/** Agents of this clone settle among themselves; only what another clone holds may have changed at the remote. */
async function isWorthAsking(context: Context, choose: Choose): Promise<boolean> {
  try {
    const chosen = await change(context, choose)
    if (chosen !== undefined) return chosen !== 'held'
    const { store } = context
    return (await store.leases.shared.foreign(await store.now(context))).size > 0
  } catch (error) {
    const reason = error instanceof Failure ? error.details.reason : undefined
    if (reason !== 'held_elsewhere' && reason !== 'closed_elsewhere') throw error
    return true
  }
}

interface Drafted {
  readonly next: Register
  readonly ticket: Ticket
  readonly before: SharedRow | undefined
}

interface Asked {
  readonly settlement: Settlement
  readonly picked: Candidate
}

async function draftGrant(
  change: Change,
  live: LiveRemote,
  { settlement: { next }, picked: { task, agent, takenFrom } }: Asked,
): Promise<Drafted> {
  const { shared } = change.leases
  const now = change.stamp.at
  if (!hasRoom(next)) {
    throw new Failure('busy', 'the register of claims is full; sync clones whose claims are over')
  }
  const row = await shared.of(task.id, now)
  // The outcome of an earlier attempt may be unknown: its lease is recognised by the same nonce.
  const nonce = row?.nonce ?? newNonce()
  const asked = { nonce, agentId: agent.id, expiresAt: 0, at: now }
  await shared.put(task.id, { ...asked, state: 'asked' })
  const lease = await change.leases.of(task.id)
  const fence = Math.max(next.fence, lease?.fence ?? 0) + 1
  // Every clone would refuse the register.
  if (fence > HIGHEST_FENCE) throw unreadable(live, 'it has the highest fence that there is')
  const expires = now + SHARED_LEASE_MS
  const author = toAuthor(agent.name ?? agent.id, await identify(change))
  const granted = { task: task.id, ...author, nonce, fence, granted: now, expires }
  return {
    next: { ...next, fence, leases: new Map([...next.leases, [task.id, granted]]) },
    ticket: { taskId: task.id, nonce, fence, expiresAt: expires, takenFrom },
    before: row?.state === 'held' || row?.state === 'provisional' ? row : undefined,
  }
}

interface Pushed {
  readonly version: Parameters<typeof pushLive>[1]
  readonly next: Register
  readonly withdraw?: () => Promise<void>
}

/** False if another clone was first. After any other failure the remote may have accepted it, so the claim is not withdrawn. */
async function pushed(
  context: Context,
  live: LiveRemote,
  { version, next, withdraw }: Pushed,
): Promise<boolean> {
  try {
    return await pushLive(live, version, next)
  } catch (error) {
    const isRefused = error instanceof Failure && error.details.reason === 'push_refused'
    if (isRefused) await withdraw?.()
    throw await noteFailure(context, error)
  }
}

/** What was settled with the register, for a report. */
export type SettledClaims = Pick<Settlement, 'lost' | 'reopened'>

interface SettleOptions {
  readonly push?: boolean
  /** A task whose lease is to be renewed now. */
  readonly extend?: string
  /** What the remote's refs pointed to a moment ago. */
  readonly tips?: RemoteTips | undefined
  /** Asked once it is this call's turn. */
  readonly isDue?: () => Promise<boolean>
}

/** Brings register and clone in line, without a claim. */
export async function settleClaims(
  context: Context,
  coordinator: Coordinator,
  { push = true, extend, tips, isDue }: SettleOptions = {},
): Promise<SettledClaims> {
  const { repeatable: _, ...called } = context
  return await withLive(called, coordinator, async (live) => {
    const lost: Settlement['lost'][number][] = []
    const reopened: Settlement['reopened'][number][] = []
    if (isDue !== undefined && !(await isDue())) return { lost, reopened }
    return await retryLostRaces(live, async (tries) => {
      const version = await fetchLive(live, tries === 0 ? tips : undefined).catch(
        async (error: unknown) => {
          throw await noteFailure(called, error)
        },
      )
      const settlement = await change(called, (change) =>
        settle(change, version.register, { extend }),
      )
      lost.push(...settlement.lost)
      reopened.push(...settlement.reopened)
      if (!push) return { lost, reopened }
      const { next } = settlement
      const isAccepted =
        isSame(next, version.register) || (await pushed(called, live, { version, next }))
      if (!isAccepted) return LOST
      await change(called, (change) => applySettled(change, settlement))
      return { lost, reopened }
    })
  })
}

function isSame(a: Register, b: Register): boolean {
  const [one, other] = [toFiles(a), toFiles(b)]
  return Object.entries(one).every(([name, bytes]) =>
    other[name as keyof typeof other].equals(bytes),
  )
}

/** Remembers when the remote could not be reached, and why it refused the ref. */
async function noteFailure(context: Context, error: unknown): Promise<unknown> {
  if (!(error instanceof Failure)) return error
  const isRefused = error.details.reason === 'push_refused'
  await context.store.write(async (tx) => {
    const failedAt = await tx.now(context)
    await tx.leases.shared.setState(isRefused ? { refusal: error.message } : { failedAt })
  })
  return error
}
