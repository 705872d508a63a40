import type { Context } from '../core/context.ts'
import { callerId } from '../agent/agent.ts'
import type { EventRow } from '../event/store.ts'
import type { BriefCursor } from './store.ts'
import type { BriefParts } from './operations.ts'
import { toTime } from '../entity/view.ts'
import { received } from '../sync/received.ts'

/** So many events are looked through at most; whoever was away for longer gets the newest of them. */
const MOST_EVENTS = 5000
/** Without an earlier look, what happened lately. */
const RECENT_EVENTS = 50
const MOST_CHANGES = 30

/** Signs of life rather than news: there are many of them, and they must not crowd out what is. */
export const SIGNS_OF_LIFE = ['agent.heartbeat', 'task.renewed']

/** What is often told and says of nothing what it is called, so that a brief has no line for it. */
const NO_NEWS = [
  ...SIGNS_OF_LIFE,
  'agent.joined',
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
  readonly lastCursor?: number
  readonly cursor: number
}

/** What others have done since this agent looked last: each thing once, with what happened to it last. */
export async function findChanges(context: Context, me: string | undefined): Promise<Changes> {
  const { store } = context
  const cursor = await store.events.latest()
  const look = await lastCursor(context, me)
  const events = await store.events.newest({
    except: NO_NEWS,
    ...(look === undefined
      ? { limit: RECENT_EVENTS }
      : { after: look.eventId, limit: MOST_EVENTS }),
  })
  const latest = new Map<string, BriefParts['changes'][number]>()
  for (const event of events) {
    if (latest.has(event.subject) || isOwn(context, me, event)) continue
    const change = toChange(event)
    if (change !== undefined) latest.set(event.subject, change)
  }
  return {
    changes: [...latest.values()].slice(0, MOST_CHANGES),
    total: latest.size,
    ...(look !== undefined && { since: toTime(look.at), lastCursor: look.eventId }),
    cursor,
  }
}

/** Writes down how far this agent has been told. Nothing is announced: that somebody looked is no news. */
export async function saveBriefCursor(
  context: Context,
  me: string | undefined,
  look: BriefCursor,
): Promise<void> {
  if (me === undefined || context.access.readOnly) return
  if ((await context.store.looks.lastOf(me))?.eventId === look.eventId) return
  await context.store.write(async (tx) => {
    for (const viewer of viewersOf(context, me)) await tx.looks.put(viewer, look)
  }, context)
}

async function lastCursor(
  context: Context,
  me: string | undefined,
): Promise<BriefCursor | undefined> {
  if (me === undefined) return undefined
  for (const viewer of viewersOf(context, me)) {
    const look = await context.store.looks.lastOf(viewer)
    if (look !== undefined) return look
  }
  return undefined
}

/** A host that is started again has a new identity and an old name: then what counts is when the name looked last. */
function viewersOf({ agent }: Context, me: string): readonly string[] {
  return agent.name === null ? [me] : [me, `name ${agent.name}`]
}

/** What comes about because time has passed; it is told by whoever notices first. */
const SYSTEM_EVENTS: ReadonlySet<string> = new Set(['lease.expired', 'task.parked'])

/** Those who go by the same name are told apart where the event says which of them it was. */
function isOwn({ agent }: Context, me: string | undefined, event: EventRow): boolean {
  const { agent_id, merged } = event.data
  if (merged === true || SYSTEM_EVENTS.has(event.type)) return false
  if (typeof agent_id === 'string') return agent_id === me
  // Not everything says for which of its agents a connection did it.
  if (event.agentId !== undefined) return [me, callerId(agent)].includes(event.agentId)
  return event.agent !== null && event.agent === agent.name
}

/** The newest things that happened to something with a name, whoever did them. */
export async function findRecent({ store }: Context, most: number): Promise<BriefParts['changes']> {
  const events = await store.events.newest({ except: NO_NEWS, limit: RECENT_EVENTS })
  return events.flatMap((event) => toChange(event) ?? []).slice(0, most)
}

/** Undefined for what is about nothing with a name. */
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
