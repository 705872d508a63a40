import { OWNER_ID } from '../../../agent/agent.ts'
import type { Change } from '../../../core/change.ts'
import type { EntityRow } from '../../../entity/store.ts'
import { carryMessages, type SentMessage } from '../../../message/carried/carry.ts'
import { heldUntil, type Register, type SharedLease } from '../../../sync/live/register.ts'
import { PLAUSIBLE_FENCE, toName } from '../../../sync/live/values.ts'
import { toHolderName, toHolderText } from '../elsewhere/holders.ts'
import { endLease } from '../override/override.ts'
import { sweepLeases } from '../rules.ts'
import { updateTaskRow } from '../../write/update-task-row.ts'
import { isClosed } from '../../task.ts'
import { asTask } from '../../fields.ts'
import { ASKED_FOR_MS, type ForeignLease, type SharedRow } from './store.ts'

/** How long the remote grants a task to a clone. Long, so that it is rarely asked to renew. */
export const SHARED_LEASE_MS = 4 * 60 * 60 * 1000
/** Leases of clones that have not been heard of for so long after their end are removed. */
const FORGOTTEN_AFTER_MS = 24 * 60 * 60 * 1000
const SEEN_EVERY_MS = 60 * 60 * 1000

/** A task and who holds or closed it in another clone. */
interface Lost {
  readonly id: string
  readonly number: number
  readonly title: string
  readonly by: string
}

/** What the register, as it was read, means for this clone; and how this clone wants it to be. */
export interface Settlement {
  readonly next: Register
  /** To be applied once the remote has accepted `next`. */
  readonly after: readonly Settled[]
  /** Messages of this clone that are in `next`. */
  readonly sent: readonly SentMessage[]
  readonly clone: string
  /** Claims of this clone that another clone has won. */
  readonly lost: readonly Lost[]
  /** Tasks that were closed here without a lease, or after another clone took them over: they are in progress again. */
  readonly reopened: readonly Lost[]
}

interface Settled {
  readonly row: SharedRow
  /** Undefined: the register need not know of it any more. */
  readonly held?: { readonly expiresAt: number }
}

interface Drafted {
  fence: number
  readonly leases: Map<string, SharedLease>
  readonly closed: Map<string, Register['closed'] extends ReadonlyMap<string, infer C> ? C : never>
  readonly clones: Map<string, { clone: string; person: string; seen: number }>
}

/**
 * Takes the register as the truth: ends leases that another clone has won and reopens tasks that were closed without
 * one, then drafts what this clone adds and removes. Runs in the transaction that also refreshes what is known of others.
 */
export async function settle(
  change: Change,
  register: Register,
  { extend }: { readonly extend?: string | undefined } = {},
): Promise<Settlement> {
  await sweepLeases(change)
  const now = change.stamp.at
  const { shared } = change.leases
  const me = await identify(change)
  await shared.adopt(now)
  const rows = await shared.rows(now)
  const nonces = new Map(rows.map((row) => [row.taskId, row.nonce]))
  const isOwn = (lease: SharedLease) => nonces.get(lease.task) === lease.nonce
  const draft = toDraft(register, await shared.state(), now)
  const [after, lost, reopened]: [Settled[], Lost[], Lost[]] = [[], [], []]
  for (const row of rows) {
    const entry = draft.leases.get(row.taskId)
    const winner =
      entry !== undefined && !isOwn(entry) && heldUntil(entry) > now ? entry : undefined
    const closing = draft.closed.get(row.taskId)
    const holder = winner === undefined ? undefined : toText(winner)
    const isOwnEntry = entry !== undefined && isOwn(entry)
    const drop = (): void => {
      if (isOwnEntry) draft.leases.delete(row.taskId)
      after.push({ row })
    }
    switch (row.state) {
      case 'asked':
        // Ended here first: a process that was only slow must not take it for granted once the register forgets it.
        if (row.at <= now - ASKED_FOR_MS) {
          if (isOwnEntry) draft.leases.delete(row.taskId)
          after.push({ row: await shared.abandon(row, now) })
        }
        break
      case 'held':
      case 'provisional': {
        const closer = closing && toHolderText(closing.by, '', closing.clone)
        const taken = holder ?? (row.state === 'provisional' ? closer : undefined)
        if (!row.isHeldHere) drop()
        else if (taken !== undefined) {
          lost.push(...(await loseLease(change, row, taken)))
          await shared.settle(row, undefined)
        } else {
          const held = keep(draft, row, { entry: isOwnEntry ? entry : undefined, me, now, extend })
          if (held !== undefined) after.push({ row, held })
        }
        break
      }
      case 'closed_unleased':
      case 'closed': {
        const isLate = row.state === 'closed_unleased' || isTakenByForce(winner, row)
        if (holder !== undefined && isLate) {
          reopened.push(...(await reopen(change, row, holder)))
          await shared.settle(row, undefined)
          break
        }
        const fence = Math.max(row.fence, entry?.fence ?? 0)
        // Last, because the oldest are dropped first.
        draft.closed.delete(row.taskId)
        draft.closed.set(row.taskId, { task: row.taskId, clone: me.clone, by: me.person, fence })
        drop()
        break
      }
      case 'reopened':
        draft.closed.delete(row.taskId)
        drop()
    }
  }
  await shared.setForeign(toForeign(draft, isOwn, me.clone), [...draft.clones.values()])
  await shared.setState({ fence: draft.fence, readAt: now, failedAt: null, refusal: null })
  const seen = draft.clones.get(me.clone)?.seen ?? 0
  if (Math.abs(now - seen) > SEEN_EVERY_MS) draft.clones.set(me.clone, { ...me, seen: now })
  const { messages, sent } = await carryMessages(change, register, me)
  return { next: { ...draft, messages }, after, sent, clone: me.clone, lost, reopened }
}

/** Another clone that was granted the task before our lease was over did not wait for its end. */
function isTakenByForce(winner: SharedLease | undefined, { expiresAt }: SharedRow): boolean {
  return winner !== undefined && winner.granted < heldUntil({ expires: expiresAt })
}

/** Records what the remote has accepted, unless it was overtaken here meanwhile. */
export async function applySettled(
  change: Change,
  { next, after, sent, clone }: Settlement,
): Promise<void> {
  const { shared } = change.leases
  for (const { id, state } of sent) await change.carried.noteSent(clone, id, state)
  for (const { row, held } of after) {
    await shared.settle(row, held)
  }
  await shared.setState({ fence: next.fence })
}

export interface Identity {
  readonly clone: string
  readonly person: string
}

/** This clone and its owner, as other clones see them. */
export async function identify({ agents, leases }: Change): Promise<Identity> {
  const person = toName((await agents.byId(OWNER_ID))?.name ?? '')
  return { clone: await leases.ownClone(), person }
}

function toDraft(register: Register, known: { readonly fence: number }, now: number): Drafted {
  const kept = [...register.leases].filter(
    ([, lease]) => heldUntil(lease) + FORGOTTEN_AFTER_MS > now,
  )
  return {
    // A register that was reset or rewound must not give out fences again.
    fence: Math.max(register.fence, known.fence),
    leases: new Map(kept),
    closed: new Map(register.closed),
    clones: new Map(register.clones),
  }
}

interface Keeping {
  /** The lease as the register has it. */
  readonly entry: SharedLease | undefined
  readonly me: Identity
  readonly now: number
  readonly extend: string | undefined
}

/** Renews a lease that has run for half of its time, and adds one that the register does not have. */
function keep(
  draft: Drafted,
  row: SharedRow,
  { entry, me, now, extend }: Keeping,
): Settled['held'] | undefined {
  const expires = now + SHARED_LEASE_MS
  if (entry !== undefined) {
    const isDue = row.taskId === extend || entry.expires - now < SHARED_LEASE_MS / 2
    const lasts = isDue ? expires : entry.expires
    if (isDue) draft.leases.set(row.taskId, { ...entry, expires })
    return lasts === row.expiresAt ? undefined : { expiresAt: lasts }
  }
  // Claimed offline, or the register was reset: a lease that is over by the clock of this clone is not brought back.
  if (row.state === 'held' && row.expiresAt <= now) return undefined
  const isNew = row.state === 'provisional'
  const known = row.fence <= PLAUSIBLE_FENCE ? row.fence : 0
  draft.fence = Math.max(draft.fence, known) + Number(isNew)
  draft.leases.set(row.taskId, {
    task: row.taskId,
    ...toAuthor(row.agentName ?? row.agentId ?? '', me),
    nonce: row.nonce,
    fence: isNew ? draft.fence : row.fence,
    granted: now,
    expires,
  })
  return { expiresAt: expires }
}

/** Names of an agent of this clone. */
export function toAuthor(agent: string, { clone, person }: Identity) {
  const name = toName(agent)
  return { agent: name === '' ? 'agent' : name, person: person === name ? '' : person, clone }
}

async function loseLease(change: Change, row: SharedRow, holder: string): Promise<Lost[]> {
  const task = await change.entities.byId(row.taskId)
  const lease = await change.leases.of(row.taskId)
  if (task === undefined || lease === undefined || lease.agentId === null) return []
  const reason = `held by ${toHolderName(holder)} in another clone`
  await endLease(change, task, { ...lease, agentId: lease.agentId }, { how: 'elsewhere', reason })
  await passTo(change, task, holder)
  return [toLost(task, holder)]
}

/** Of a task that was closed without a lease: the closing stays in its history, and its holder goes on. */
async function reopen(change: Change, row: SharedRow, holder: string): Promise<Lost[]> {
  const task = await change.entities.byId(row.taskId)
  if (task === undefined || !isClosed(asTask(task))) return []
  await passTo(change, task, holder)
  const { fence, agentId } = row
  if (agentId !== null) {
    await change.leases.leaveNotice({
      how: 'elsewhere',
      by: null,
      reason: `held by ${toHolderName(holder)} in another clone, so that it is in progress again`,
      agentId,
      taskId: task.id,
      number: task.number,
      fence,
      at: change.stamp.at,
    })
  }
  return [toLost(task, holder)]
}

async function passTo(change: Change, task: EntityRow, holder: string): Promise<void> {
  change.admission.override(task.id)
  const wasClosed = isClosed(asTask(task))
  const fields = {
    status: 'in_progress',
    holders: [holder],
    completed_at: null,
    completed_by: null,
  }
  const facts = { held_elsewhere: toHolderName(holder) }
  const type = wasClosed ? 'task.reopened' : 'task.updated'
  await updateTaskRow(change, task, fields, { type, facts })
}

function toLost({ id, number, title }: EntityRow, holder: string): Lost {
  return { id, number, title, by: toHolderName(holder) }
}

function toText({ agent, person, clone }: SharedLease): string {
  return toHolderText(agent, person, clone)
}

function toForeign(
  { leases, closed }: Drafted,
  isOwn: (lease: SharedLease) => boolean,
  ownClone: string,
): ForeignLease[] {
  const closings = [...closed.values()].filter(({ clone }) => clone !== ownClone)
  return [
    ...closings.map(({ task, by, clone, fence }) => ({
      taskId: task,
      holder: toHolderText(by === '' ? 'an agent' : by, '', clone),
      fence,
      grantedAt: 0,
      heldUntil: 0,
      isClosed: true,
    })),
    // Later ones replace earlier ones of the same task.
    ...[...leases.values()]
      .filter((lease) => !isOwn(lease))
      .map((lease) => ({
        taskId: lease.task,
        holder: toText(lease),
        fence: lease.fence,
        grantedAt: lease.granted,
        heldUntil: heldUntil(lease),
        isClosed: false,
      })),
  ]
}
