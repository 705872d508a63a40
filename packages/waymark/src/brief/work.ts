import type { ReadContext } from '../core/context.ts'
import { OWNER_ID, type AgentId } from '../agent/agent.ts'
import { toExcerpt } from '../message/excerpt.ts'
import { SEVERITIES } from '../message/message.ts'
import type { BriefParts } from './operations.ts'
import type { EntityRow } from '../entity/store.ts'
import type { Reader } from '../message/store.ts'
import { toTime } from '../entity/view.ts'
import { findCycleAt } from '../relation/find-cycle.ts'
import { toReceived } from '../sync/arrival.ts'
import { asTask } from '../task/fields.ts'
import { toQueueAgent } from '../task/queue/assignee.ts'
import type { QueueAgent } from '../task/queue/selection-store.ts'

const MOST_MESSAGES = 10
const MOST_READY = 20
const MOST_BLOCKED = 5

/** The agent's leases, soonest expiry first. */
export async function findLeases(
  { store }: ReadContext,
  me: AgentId | undefined,
  now: number,
): Promise<BriefParts['leases']> {
  if (me === undefined) return []
  const held = await store.leases.held(now, me)
  const rows = await Promise.all(
    held.map(async ({ taskId, fence, expiresAt }) => {
      const task = await store.entities.byId(taskId)
      if (task === undefined) return []
      const seconds = Math.max(0, Math.floor((expiresAt - now) / 1000))
      const { number, title } = task
      return [
        {
          number,
          title,
          ...authorOf(task),
          fence,
          expires_at: toTime(expiresAt),
          seconds_left: seconds,
        },
      ]
    }),
  )
  return rows.flat().toSorted((a, b) => a.seconds_left - b.seconds_left)
}

/** Unacknowledged messages, most severe first. */
export async function findUnread(
  { store }: ReadContext,
  reader: Reader | undefined,
): Promise<{ readonly messages: BriefParts['messages']; readonly unread: number }> {
  if (reader === undefined) return { messages: [], unread: 0 }
  const found = await store.messages.inbox(reader, {
    unreadOnly: true,
    first: SEVERITIES.toReversed(),
    limit: MOST_MESSAGES,
  })
  const messages = found.map(({ id, fromAgent, fromName, severity, ...message }) => ({
    id,
    from: fromName ?? fromAgent,
    ...(fromAgent === OWNER_ID && { from_owner: true as const }),
    severity,
    text: toExcerpt(message),
  }))
  return { messages, unread: await store.messages.countUnread(reader) }
}

interface ReadyWork {
  readonly ready: BriefParts['ready']
  readonly total: number
  /** All that is not done, ready or not. */
  readonly open: number
  /** If nothing is ready: tasks that wait for each other, by their numbers. */
  readonly cycle: readonly number[] | undefined
  /** If nothing is ready: tasks that any other agent could claim, by their numbers. */
  readonly released: readonly number[]
  /** The same: tasks that are assigned to others. */
  readonly assigned: readonly number[]
}

/** Tasks that may be handed out to this agent, in queue order; those assigned to it or its person first. */
export async function findReady(
  { store, agent }: ReadContext,
  me: AgentId | undefined,
  now: number,
): Promise<ReadyWork> {
  const asker = await toQueueAgent(store, { id: me, name: agent.name })
  const selection = { state: 'offered' as const, agent: asker, now }
  const rows = await store.tasks.queue({ ...selection, limit: MOST_READY })
  const ready = rows
    .map((row) => {
      const { priority, due_date, assignee } = asTask(row)
      return {
        number: row.number,
        title: row.title,
        priority,
        ...(due_date !== undefined && { due_date }),
        ...(assignee !== undefined && { assignee }),
        ...authorOf(row),
      }
    })
    .toSorted((a, b) => Number(a.assignee === undefined) - Number(b.assignee === undefined))
  return {
    ready,
    total: rows.length < MOST_READY ? rows.length : await store.tasks.count(selection),
    open: await store.tasks.count({ state: 'any', resolved: false, now }),
    cycle: rows.length > 0 ? undefined : await findWaitingCycle(store, now),
    ...(rows.length > 0 ? NOT_NEEDED : await findWithheld(store, asker, now)),
  }
}

const NOT_NEEDED = { released: [], assigned: [] }

/** Of the tasks that could be claimed: what the agent has just given back, and what is assigned to others. */
async function findWithheld(
  { tasks }: ReadContext['store'],
  asker: QueueAgent,
  now: number,
): Promise<Pick<ReadyWork, 'released' | 'assigned'>> {
  const all = { agent: asker, now, limit: MOST_BLOCKED }
  const others = { ...asker, id: undefined }
  return {
    released: toNumbers(await tasks.queue({ ...all, state: 'offered', agent: others })),
    assigned: toNumbers(await tasks.queue({ ...all, state: 'claimable' })),
  }
}

function toNumbers(rows: readonly EntityRow[]): readonly number[] {
  return rows.map(({ number }) => number)
}

/** Among the most urgent of the blocked tasks. */
async function findWaitingCycle(
  { tasks, relations, entities }: ReadContext['store'],
  now: number,
): Promise<readonly number[] | undefined> {
  for (const { id } of await tasks.queue({ state: 'blocked', now, limit: MOST_BLOCKED })) {
    const cycle = await findCycleAt(relations, id, 'blocks')
    if (cycle === undefined) continue
    const rows = await Promise.all(cycle.map((each) => entities.byId(each)))
    return rows.flatMap((row) => row?.number ?? [])
  }
  return undefined
}

/** The author, and how a remote text arrived. */
export function authorOf(row: EntityRow): Pick<BriefParts['questions'][number], 'by' | 'received'> {
  return {
    ...(row.createdBy !== null && { by: row.createdBy }),
    ...(row.arrival !== null && { received: toReceived(row.arrival) }),
  }
}
