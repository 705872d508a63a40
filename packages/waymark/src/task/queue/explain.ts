import * as z from 'zod'
import type { ReadContext } from '../../core/context.ts'
import { isHeld, toParkedReason } from '../lease/lease.ts'
import { parseMoment, toTime } from '../../support/text/moment.ts'
import { reference, toDisplayId } from '../../entity/reference.ts'
import { isClosed } from '../task.ts'
import { defineOperation } from '../../core/operation.ts'
import type { EntityRow } from '../../entity/store.ts'
import { findTask } from '../find-task.ts'
import { asTask } from '../as-task.ts'
import { taskLabel, toTaskLabel } from '../view.ts'
import { type Block, line } from '../../core/show.ts'
import { label } from '../../entity/show.ts'

const obstacle = z.object({
  reason: z.enum(['closed', 'blocked', 'deferred', 'held', 'parked']),
  message: z.string(),
  tasks: z.array(taskLabel).describe('The tasks that stand in the way'),
})
type Obstacle = z.output<typeof obstacle>

const explanation = z.object({
  task: taskLabel,
  ready: z.boolean(),
  claimable: z.boolean(),
  obstacles: z.array(obstacle),
  resolved: z.array(taskLabel).describe('Tasks that blocked it and no longer do'),
})
type Explanation = z.output<typeof explanation>

export const explainTask = defineOperation({
  name: 'task.explain',
  summary: 'Say why a task can be claimed now, or everything that stands in its way',
  example: '12',
  effect: 'read',
  input: z.object({ id: reference }),
  output: explanation,
  positional: ['id'],
  async run(context, { id }) {
    const { store } = context
    const row = await findTask(store, id)
    const now = await store.now(context)
    const obstacles = [...(await lasting(context, row, now)), ...(await passing(context, row, now))]
    const blockers = new Set((await store.tasks.blockersOf(row.id)).map((task) => task.id))
    const dependencies = await store.tasks.related(row.id, 'blocks', 'to')
    const hinders = ({ reason }: Obstacle) => reason !== 'held' && reason !== 'parked'
    return {
      task: toTaskLabel(row),
      ready: !obstacles.some(hinders),
      claimable: obstacles.length === 0,
      obstacles,
      resolved: dependencies.filter((task) => !blockers.has(task.id)).map(toTaskLabel),
    }
  },
  show: showExplanation,
})

/** Obstacles for every agent. */
async function lasting({ store }: ReadContext, row: EntityRow, now: number): Promise<Obstacle[]> {
  const found: Obstacle[] = []
  const { defer_until } = asTask(row)
  if (isClosed(asTask(row))) {
    found.push({ reason: 'closed', message: `it is ${String(row.status)}`, tasks: [] })
  }
  if (defer_until !== undefined && (parseMoment(defer_until) ?? 0) > now) {
    found.push({ reason: 'deferred', message: `it is put off until ${defer_until}`, tasks: [] })
  }
  for (const whole of await selfAndWholes(store, row)) {
    const blockers = await store.tasks.blockersOf(whole.id)
    if (blockers.length === 0) continue
    const names = blockers.map(toDisplayId).join(', ')
    const what = whole.id === row.id ? 'it' : `${toDisplayId(whole)}, which it is a part of,`
    const tasks = blockers.map(toTaskLabel)
    found.push({ reason: 'blocked', message: `${what} is blocked by ${names}`, tasks })
  }
  return found
}

/** Temporary obstacles: a lease of another agent, or parking. */
async function passing({ store }: ReadContext, row: EntityRow, now: number): Promise<Obstacle[]> {
  const lease = await store.leases.of(row.id)
  if (isHeld(lease, now)) {
    const until = toTime(lease.expiresAt)
    return [{ reason: 'held', message: `${lease.agentId} holds it until ${until}`, tasks: [] }]
  }
  if (typeof lease?.parkedAt !== 'number') return []
  return [{ reason: 'parked', message: toParkedReason(lease), tasks: [] }]
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

function showExplanation({ task, obstacles }: Explanation): readonly Block[] {
  if (obstacles.length === 0) return [line`${label(task)} can be claimed`]
  return [line`${label(task)}`, ...obstacles.map(({ message }) => line`- ${message}`)]
}
