import { OWNER_ID, type AgentId } from '../agent/agent.ts'
import { findPresent } from '../agent/presence.ts'
import type { ReadContext } from '../core/context.ts'
import { heldElsewhere } from '../task/lease/elsewhere/holders.ts'
import type { EntityRow } from '../entity/store.ts'
import { patternsOf } from '../task/lock/find-locks.ts'
import { locksOnAll } from '../task/lock/locks.ts'
import type { BriefParts } from './operations.ts'

const MOST_AGENTS = 8
const MOST_RESERVED = 8
/** Reserved by one agent. */
const MOST_PATTERNS = 3
/** Tasks in progress that are looked through for holders in other clones. */
const MOST_SEARCHED = 100

interface Asker {
  readonly agentId: AgentId | undefined
  readonly now: number
}

/** Other agents: first those that hold a task, then those that were seen lately. */
export async function findOthers(
  { store }: ReadContext,
  { agentId, now }: Asker,
): Promise<{ readonly agents: BriefParts['agents']; readonly total: number }> {
  const leases = (await store.leases.held(now)).filter((lease) => lease.agentId !== agentId)
  const holders = new Set(leases.map((lease) => lease.agentId))
  const present = await findPresent(store, now)
  const gone = new Set(
    present.filter(({ presence }) => presence === 'gone').map(({ agent }) => agent.id),
  )
  const idle = present
    .map(({ agent }) => agent)
    .filter(({ id }) => id !== agentId && !holders.has(id) && !gone.has(id))
  const toParticipant = (id: AgentId, name: string | null) => ({
    name: name ?? id,
    ...(id === OWNER_ID && { owner: true as const }),
    ...(gone.has(id) && { gone: true as const }),
  })
  const working = await Promise.all(
    leases.slice(0, MOST_AGENTS).map(async (lease) => {
      const task = await store.entities.byId(lease.taskId)
      return {
        ...toParticipant(lease.agentId, lease.agentName),
        ...(task !== undefined && toHeld(task)),
      }
    }),
  )
  const elsewhere = await findElsewhere(store, now)
  const agents = [...working, ...elsewhere, ...idle.map(({ id, name }) => toParticipant(id, name))]
  const total = leases.length + elsewhere.length + idle.length
  return { agents: agents.slice(0, MOST_AGENTS), total }
}

/** With what the task reserves: not every host has hooks that stop an edit, and a plan is made before the first one. */
function toHeld(task: EntityRow): Partial<BriefParts['agents'][number]> {
  const reserves = patternsOf(task).slice(0, MOST_PATTERNS)
  return {
    number: task.number,
    title: task.title,
    ...(reserves.length > 0 && { reserves: [...reserves] }),
  }
}

/** Holders in other clones. */
async function findElsewhere(
  { leases, tasks, entities }: ReadContext['store'],
  now: number,
): Promise<BriefParts['agents']> {
  const clones = await leases.elsewhere(now)
  const statuses = ['in_progress'] as const
  const rows = await tasks.queue({ state: 'any', statuses, now, limit: MOST_SEARCHED })
  const begun = new Set(rows.map(({ id }) => id))
  const unknown = [...clones.foreign.keys()].filter((id) => !begun.has(id)).slice(0, MOST_SEARCHED)
  const others = await Promise.all(unknown.map((id) => entities.byId(id)))
  return [...rows, ...others.filter((row) => row !== undefined)].flatMap((row) => {
    const held = heldElsewhere(row, clones)
    const by = held?.isClosed === true ? [] : (held?.by ?? [])
    const { number, title } = row
    return by.map((name) => ({ name, number, title, other_clone: true as const }))
  })
}

/** What other agents have reserved of these paths. */
export async function findReserved(
  context: ReadContext,
  paths: readonly string[],
  asker: Asker,
): Promise<BriefParts['reserved']> {
  const found = await locksOnAll(context, paths, asker)
  return found.slice(0, MOST_RESERVED).map(({ path, reservation }) => ({
    path,
    pattern: reservation.pattern,
    by: reservation.agent_name ?? reservation.agent_id,
    number: reservation.task.number,
    title: reservation.task.title,
    until: reservation.expires_at,
  }))
}
