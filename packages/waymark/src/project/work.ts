import * as z from 'zod'
import type { ReadContext } from '../core/context.ts'
import { time, toTime } from '../entity/view.ts'
import type { EntityRow } from '../entity/store.ts'
import { asTask } from '../task/fields.ts'
import { toCalendarDate } from '../support/text/relative-time.ts'
import { findCycleAt } from '../relation/find-cycle.ts'
import { heldElsewhere } from '../task/lease/elsewhere/holders.ts'
import { nameTasks } from '../task/view.ts'
import type { QueueSelection } from '../task/queue/selection-store.ts'

export const MOST_TASKS = 5

const named = z.object({ number: z.int(), title: z.string() })

export const heldWork = named.extend({
  agent: z.string().describe('Name of the holder, or the assignee'),
  client: z.string().optional().describe('The program that the agent runs in'),
  other_clones: z.array(z.string()).optional().describe('Holders in other clones'),
  since: time,
  seconds: z.int().describe('From then until now'),
  seconds_left: z.int().optional().describe('Of the lease; absent without one'),
})
export const blockedWork = named.extend({
  waits_for: z.array(z.int()),
  why: z.string(),
})
export const doneWork = named.extend({ by: z.string().optional() })
export const dueWork = named.extend({ due_date: z.string() })

/** Tasks with a lease, longest held first, then those in progress without one. */
export async function findHeld({ store }: ReadContext, now: number) {
  const leases = await store.leases.held(now)
  const clones = await store.leases.elsewhere(now)
  const othersOf = (row: EntityRow) => {
    const elsewhere = heldElsewhere(row, clones)
    return elsewhere && { other_clones: [...elsewhere.by] }
  }
  const held: z.output<typeof heldWork>[] = []
  for (const { taskId, agentId, agentName, grantedAt, expiresAt } of leases.slice(0, MOST_TASKS)) {
    const task = await store.entities.byId(taskId)
    if (task === undefined) continue
    const client = (await store.agents.byId(agentId))?.client
    held.push({
      number: task.number,
      title: task.title,
      agent: agentName ?? agentId,
      ...(client && { client }),
      ...othersOf(task),
      ...toSince(grantedAt, now),
      seconds_left: Math.max(0, Math.floor((expiresAt - now) / 1000)),
    })
  }
  const begun = { state: 'any' as const, statuses: ['in_progress'] as const, now }
  const rows = await store.tasks.queue({ ...begun, limit: MOST_TASKS + leases.length })
  const isHeld = new Set(leases.map(({ taskId }) => taskId))
  // Claimed in another clone, while its status here is still that from before.
  const begunHere = new Set(rows.map(({ id }) => id))
  const claimed = [...clones.foreign.values()].filter(
    ({ taskId, isClosed }) => !isClosed && !begunHere.has(taskId),
  )
  const begunThere = await Promise.all(
    claimed.slice(0, MOST_TASKS).map(({ taskId }) => store.entities.byId(taskId)),
  )
  const others = [...rows, ...begunThere.filter((row) => row !== undefined)].filter(
    ({ id }) => !isHeld.has(id),
  )
  const unheld = others.slice(0, MOST_TASKS - held.length).map((row) => {
    const elsewhere = othersOf(row)
    const { assignee = row.createdBy ?? '' } = asTask(row)
    return {
      number: row.number,
      title: row.title,
      agent: elsewhere?.other_clones[0] ?? assignee,
      ...elsewhere,
      ...toSince(row.updatedAt, now),
    }
  })
  return { held: [...held, ...unheld], held_total: leases.length + others.length }
}

export async function findBlocked({ store }: ReadContext, now: number) {
  const { rows, total } = await first(store, { state: 'blocked', now })
  const blocked = rows.map(async ({ id, number, title }) => {
    const blockers = await store.tasks.allBlockersOf(id)
    const names = blockers.length === 0 ? 'its status says so' : nameTasks(blockers)
    const cycle = await findCycleAt(store.relations, id, 'blocks')
    const why = cycle === undefined ? names : `${names}, in a cycle: waymark graph cycles`
    return { number, title, waits_for: blockers.map((task) => task.number), why }
  })
  return { blocked: await Promise.all(blocked), blocked_total: total }
}

/** Done, but not yet verified although they need it. */
export async function findUnverified({ store }: ReadContext, now: number) {
  const selection = { state: 'any' as const, statuses: ['done'] as const, resolved: false, now }
  const { rows, total } = await first(store, selection)
  const to_verify = rows.map((row) => {
    const { completed_by } = asTask(row)
    return { number: row.number, title: row.title, ...(completed_by && { by: completed_by }) }
  })
  return { to_verify, to_verify_total: total }
}

/** Open tasks that were due before today, in the time zone of this process, in which people type dates. */
export async function findOverdue({ store }: ReadContext, now: number) {
  const dueBefore = toCalendarDate('today', { now, points: 'future' })
  const { rows, total } = await first(store, { state: 'open', dueBefore, now })
  const overdue = rows.map((row) => {
    return { number: row.number, title: row.title, due_date: asTask(row).due_date ?? '' }
  })
  return { overdue, overdue_total: total }
}

async function first(
  store: ReadContext['store'],
  selection: QueueSelection,
): Promise<{ readonly rows: readonly EntityRow[]; readonly total: number }> {
  const { tasks: rows, total } = await store.tasks.page({ ...selection, limit: MOST_TASKS })
  return { rows, total }
}

function toSince(at: number, now: number) {
  return { since: toTime(at), seconds: Math.max(0, Math.floor((now - at) / 1000)) }
}
