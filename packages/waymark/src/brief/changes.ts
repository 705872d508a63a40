import type { Context, ReadContext } from '../core/context.ts'
import { callerId } from '../agent/agent.ts'
import type { EventRow } from '../event/store.ts'
import type { BriefCursor } from './store.ts'
import type { BriefParts } from './operations.ts'
import { toTime } from '../entity/view.ts'
import { received } from '../sync/received.ts'
import { type EntityId, toEntityId } from '../entity/entity-id.ts'
import type { EventId } from '../event/event-id.ts'

/** Maximum number of events scanned; after a longer absence only the newest ones are reported. */
const MOST_EVENTS = 5000
/** Events reported to an agent without a cursor. */
const RECENT_EVENTS = 50
const MOST_CHANGES = 30
const MOST_CHANGED_TWICE = 5

/** Heartbeat-like events: frequent, and they would crowd out real changes. */
export const SIGNS_OF_LIFE = ['agent.heartbeat', 'agent.edited', 'agent.reminded', 'task.renewed']

/** Frequent events without a subject title, for which a brief has no line. */
const NO_NEWS = [
  ...SIGNS_OF_LIFE,
  'agent.joined',
  'agent.resumed',
  'agent.left',
  'message.sent',
  'message.read',
  'relation.created',
  'relation.deleted',
]

interface Changes {
  readonly changes: BriefParts['changes']
  /** How many there are in all. */
  readonly total: number
  readonly since?: string
  /** The newest event that the last brief knew. */
  readonly lastCursor?: EventId
  readonly cursor: EventId
}

/** Changes by other agents since the cursor: each subject once, with its latest event. */
export async function findChanges(context: ReadContext, me: string | undefined): Promise<Changes> {
  const { store } = context
  const cursor = await store.events.latest()
  const previous = await findPreviousCursor(context, me)
  const events = await store.events.newest({
    except: NO_NEWS,
    ...(previous === undefined
      ? { limit: RECENT_EVENTS }
      : { after: previous.eventId, limit: MOST_EVENTS }),
  })
  const latest = new Map<EntityId, BriefParts['changes'][number]>()
  for (const event of events) {
    const id = toEntityId(event.subject)
    if (latest.has(id) || isOwn(context, me, event)) continue
    const change = toChange(event)
    if (change !== undefined) latest.set(id, change)
  }
  const changes = [...latest].slice(0, MOST_CHANGES)
  return {
    changes: await Promise.all(changes.map(([id, change]) => withNumber(context, id, change))),
    total: latest.size,
    ...(previous !== undefined && { since: toTime(previous.at), lastCursor: previous.eventId }),
    cursor,
  }
}

/** Fields of which only the later of two changes stands. */
export async function findChangedTwice({
  store,
}: ReadContext): Promise<BriefParts['changed_twice']> {
  const found = await store.replica.changedTwice.contradictions(MOST_CHANGED_TWICE)
  return found.map(({ number, title, fields }) => ({ number, title, fields: [...fields] }))
}

/** Has the agent's cursor stored, unless it is there already. */
export async function noteBriefCursor(
  context: ReadContext,
  me: string | undefined,
  cursor: BriefCursor,
): Promise<void> {
  if (me === undefined) return
  if ((await context.store.looks.lastOf(me))?.eventId === cursor.eventId) return
  context.upkeep.later('briefCursor', { viewers: viewersOf(context, me), cursor })
}

export interface SeenBrief {
  readonly viewers: readonly string[]
  readonly cursor: BriefCursor
}

/** Emits no event: reading a brief is not a change. */
export async function saveBriefCursor(
  context: Context,
  { viewers, cursor }: SeenBrief,
): Promise<void> {
  await context.store.write(async (tx) => {
    for (const viewer of viewers) await tx.looks.put(viewer, cursor)
  }, context)
}

async function findPreviousCursor(
  context: ReadContext,
  me: string | undefined,
): Promise<BriefCursor | undefined> {
  if (me === undefined) return undefined
  for (const viewer of viewersOf(context, me)) {
    const cursor = await context.store.looks.lastOf(viewer)
    if (cursor !== undefined) return cursor
  }
  return undefined
}

/** A restarted host has a new id and its old name, so the cursor of the name counts too. */
function viewersOf({ agent }: ReadContext, me: string): readonly string[] {
  return agent.name === null ? [me] : [me, `name ${agent.name}`]
}

/** Events caused by elapsed time, not by the agent that happened to record them. */
const SYSTEM_EVENTS: ReadonlySet<string> = new Set(['lease.expired', 'task.parked'])

/** Agents with the same name are told apart by id where the event has one. */
function isOwn({ agent }: ReadContext, me: string | undefined, event: EventRow): boolean {
  const { agent_id, merged } = event.data
  if (merged === true || SYSTEM_EVENTS.has(event.type)) return false
  if (typeof agent_id === 'string') return agent_id === me
  // Not everything says for which of its agents a connection did it.
  if (event.agentId !== undefined) return [me, callerId(agent)].includes(event.agentId)
  return event.agent !== null && event.agent === agent.name
}

/** The newest events about named subjects, by any agent. */
export async function findRecent(
  { store }: ReadContext,
  most: number,
): Promise<BriefParts['changes']> {
  const events = await store.events.newest({ except: NO_NEWS, limit: RECENT_EVENTS })
  const changes = events.flatMap((event) => {
    const change = toChange(event)
    return change === undefined ? [] : [{ id: toEntityId(event.subject), change }]
  })
  return await Promise.all(
    changes.slice(0, most).map(({ id, change }) => withNumber({ store }, id, change)),
  )
}

/** With the number of today: a sync may have given the one in the event to another entity. */
async function withNumber(
  { store }: Pick<ReadContext, 'store'>,
  id: EntityId,
  change: BriefParts['changes'][number],
): Promise<BriefParts['changes'][number]> {
  const row = await store.entities.byId(id)
  return row === undefined ? change : { ...change, number: row.number }
}

/** Undefined if the event's subject has no title. */
function toChange(event: EventRow): BriefParts['changes'][number] | undefined {
  const { number, title, merged } = event.data
  const { data: from } = received.safeParse(merged === true ? event.data['received'] : undefined)
  if (typeof number !== 'number' || typeof title !== 'string') return undefined
  return {
    number,
    title,
    what: event.type.slice(event.type.indexOf('.') + 1),
    ...(event.agent !== null && !SYSTEM_EVENTS.has(event.type) && { by: event.agent }),
    ...(from !== undefined && { received: from }),
    at: toTime(event.at),
  }
}
