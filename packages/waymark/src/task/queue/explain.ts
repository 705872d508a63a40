import * as z from 'zod'
import type { ReadContext } from '../../core/context.ts'
import { findCycleAt } from '../../relation/find-cycle.ts'
import { heldElsewhere } from '../lease/elsewhere/holders.ts'
import { isHeld, parksWhenSwept, toParkedReason } from '../lease/lease.ts'
import { parseMoment, toTime } from '../../support/text/moment.ts'
import { toTitle } from '../../support/text/visible-text.ts'
import { reference } from '../../entity/reference.ts'
import { isClosed } from '../task.ts'
import { defineOperation } from '../../core/operation.ts'
import type { EntityRow } from '../../entity/store.ts'
import { findTask } from '../find-task.ts'
import { asTask } from '../fields.ts'
import { nameTasks, taskLabel, toTaskLabel } from '../view.ts'
import { isFor } from './assignee.ts'
import { queueAgent, readerId } from './filter.ts'
import type { QueueAgent } from './selection-store.ts'
import { type Block, line, own } from '../../core/show.ts'
import { label } from '../../entity/view.ts'

const obstacle = z.object({
  reason: z.enum([
    'closed',
    'deferred',
    'blocked',
    'open_parts',
    'assigned',
    'held_elsewhere',
    'held',
    'parked',
    'released',
  ]),
  message: z.string(),
  tasks: z.array(taskLabel).describe('The tasks that stand in the way'),
})
type Obstacle = z.output<typeof obstacle>

/** These stand in the way of a claim, but the task is ready all the same. */
const OF_LEASES: ReadonlySet<Obstacle['reason']> = new Set(['held', 'parked', 'released'])

/** Assigned to another: in progress there it is not ready, and before that only not handed out. */
const isOfOthers = ({ reason }: Obstacle, { status }: { readonly status: string }): boolean =>
  reason === 'assigned' && status !== 'in_progress'

const explanation = z.object({
  task: taskLabel,
  ready: z.boolean(),
  claimable: z.boolean().describe('Whether it may be handed out to you'),
  obstacles: z.array(obstacle),
  resolved: z.array(taskLabel).describe('Tasks that blocked it and no longer do'),
  parts: z.object({ open: z.int(), closed: z.int() }).optional().describe('Of a task with parts'),
})
type Explanation = z.output<typeof explanation>

export const explainTask = defineOperation({
  name: 'task.explain',
  summary: 'Say why a task can be claimed now, or everything that stands in its way',
  example: '12',
  effect: 'read',
  input: z.object({ id: reference, agent_id: readerId }),
  output: explanation,
  positional: ['id'],
  async run(context, { id, agent_id }) {
    const { store } = context
    const row = await findTask(store, id)
    const asker = { agent: await queueAgent(context, agent_id), now: await store.now(context) }
    const parts = await store.tasks.related(row.id, 'subtask_of', 'to')
    const open = parts.filter((part) => !isClosed(asTask(part)))
    const obstacles = [
      ...ofItself(row, asker),
      ...(await ofOtherClones(store, row, asker)),
      ...(await ofBlockers(store, row)),
      ...ofParts(open),
      ...(await ofLease(store, row, asker)),
    ]
    const blockers = new Set((await store.tasks.blockersOf(row.id)).map((task) => task.id))
    const dependencies = await store.tasks.related(row.id, 'blocks', 'to')
    return {
      task: toTaskLabel(row),
      ready: obstacles.every((one) => OF_LEASES.has(one.reason) || isOfOthers(one, asTask(row))),
      claimable: obstacles.length === 0,
      obstacles,
      resolved: dependencies.filter((task) => !blockers.has(task.id)).map(toTaskLabel),
      ...(parts.length > 0 && {
        parts: { open: open.length, closed: parts.length - open.length },
      }),
    }
  },
  show: showExplanation,
})

interface Asker {
  readonly agent: QueueAgent
  readonly now: number
}

function ofItself(row: EntityRow, { agent, now }: Asker): Obstacle[] {
  const found: Obstacle[] = []
  const { defer_until, status, assignee } = asTask(row)
  const add = (reason: Obstacle['reason'], message: string) =>
    found.push({ reason, message, tasks: [] })
  if (isClosed(asTask(row))) add('closed', `it is ${status}`)
  if (defer_until !== undefined && (parseMoment(defer_until) ?? 0) > now) {
    add('deferred', `it is put off until ${defer_until}`)
  }
  if (status === 'blocked') {
    add('blocked', 'its status says that it is blocked; set it to todo when it can go on')
  }
  const isBegun = status === 'in_progress'
  const isOwn = assignee === agent.id || assignee === agent.name
  if (assignee !== undefined && !(isBegun ? isOwn : isFor(agent, assignee))) {
    const remedy = 'claim it by its number to take it over'
    add(
      'assigned',
      `it is ${isBegun ? 'in progress and ' : ''}assigned to ${toTitle(assignee)}; ${remedy}`,
    )
  }
  return found
}

async function ofOtherClones(
  { leases }: ReadContext['store'],
  row: EntityRow,
  { now }: Asker,
): Promise<Obstacle[]> {
  const found = heldElsewhere(row, await leases.elsewhere(now))
  if (found === undefined || found.isSilent) return []
  const who = found.by.join(' and ')
  const since =
    found.until === undefined
      ? `last changed ${toTime(found.since)}`
      : `until ${toTime(found.until)} at the latest`
  const message =
    found.isClosed === true
      ? `${who} closed it in another clone; run \`waymark sync\` there, then here`
      : `${who} holds it in another clone, ${since}; claim it with force to take it over`
  return [{ reason: 'held_elsewhere', message, tasks: [] }]
}

async function ofBlockers(store: ReadContext['store'], row: EntityRow): Promise<Obstacle[]> {
  const found: Obstacle[] = []
  for (const whole of await selfAndWholes(store, row)) {
    const blockers = await store.tasks.blockersOf(whole.id)
    if (blockers.length === 0) continue
    const what = whole.id === row.id ? 'it' : `${nameTasks([whole])}, which it is a part of,`
    const tasks = blockers.map(toTaskLabel)
    const cycle = await findCycleAt(store.relations, whole.id, 'blocks')
    const circle =
      cycle === undefined
        ? ''
        : ', in a cycle; delete one relation, waymark graph cycles shows them'
    found.push({
      reason: 'blocked',
      message: `${what} is blocked by ${nameTasks(blockers)}${circle}`,
      tasks,
    })
  }
  return found
}

function ofParts(open: readonly EntityRow[]): Obstacle[] {
  if (open.length === 0) return []
  const message = `it has open parts, and those are the work: ${nameTasks(open)}`
  return [{ reason: 'open_parts', message, tasks: open.map(toTaskLabel) }]
}

/** Temporary obstacles: a lease, parking, or a release by the one who asks. */
async function ofLease(
  store: ReadContext['store'],
  row: EntityRow,
  { agent, now }: Asker,
): Promise<Obstacle[]> {
  const lease = await store.leases.of(row.id)
  if (lease === undefined) return []
  const one = (reason: Obstacle['reason'], message: string) => [{ reason, message, tasks: [] }]
  if (isHeld(lease, now)) {
    const holder =
      lease.agentId === agent.id ? 'you hold' : `${toTitle(lease.agentName ?? lease.agentId)} holds`
    return one('held', `${holder} it until ${toTime(lease.expiresAt)}`)
  }
  if (typeof lease.parkedAt === 'number') return one('parked', toParkedReason(lease))
  if (parksWhenSwept(lease)) {
    return one('parked', toParkedReason({ ...lease, lost: lease.lost + 1 }))
  }
  const { withheld, lastRelease } = lease
  if (withheld === null || withheld.agentId !== agent.id || withheld.until <= now) return []
  const why = toTitle(lastRelease?.reason ?? '')
  const remedy = 'claim it by its number to have it again before'
  return one('released', `you gave it back (${why}); ${remedy} ${toTime(withheld.until)}`)
}

/** The task and every open task that it is a part of, at any height. */
async function selfAndWholes(store: ReadContext['store'], row: EntityRow): Promise<EntityRow[]> {
  const found = new Map([[row.id, row]])
  for (const task of found.values()) {
    for (const whole of await store.tasks.related(task.id, 'subtask_of', 'from')) {
      if (!isClosed(asTask(whole))) found.set(whole.id, whole)
    }
  }
  return [...found.values()]
}

function showExplanation({ task, obstacles, parts }: Explanation): readonly Block[] {
  if (obstacles.length > 0) {
    return [line`${label(task)}`, ...obstacles.map(({ message }) => line`- ${message}`)]
  }
  const closable = own(parts === undefined ? '' : '; all its parts are closed, so it can be closed')
  return [line`${label(task)} can be claimed${closable}`]
}
