import fc from 'fast-check'
import { expect } from 'vitest'
import type { Context } from '../../../src/core/context.ts'
import { agentIdOf } from '../../../src/agent/agent.ts'
import { Failure } from '../../../src/core/error.ts'
import { execute } from '../../../src/core/execute.ts'
import { createRelation, deleteRelation } from '../../../src/relation/operations.ts'
import { claimTask, releaseTask, renewTask, takeTask } from '../../../src/task/lease/operations.ts'
import { explainTask } from '../../../src/task/queue/explain.ts'
import { blockedTasks, nextTask, readyTasks } from '../../../src/task/queue/operations.ts'
import {
  cancelTask,
  completeTask,
  deferTask,
  reopenTask,
  verifyTask,
} from '../../../src/task/state/operations.ts'
import { createTask, removeTask, updateTask } from '../../../src/task/operations.ts'
import {
  afterSweep,
  blocked,
  claimable,
  free,
  hasOpenParts,
  isBlocked,
  isHeld,
  isOpen,
  type Model,
  type ModelTask,
  newModelTask,
  offerAgain,
  reaches,
  ready,
  unresolvedBlockers,
} from './model.ts'

/** The real thing: one project for all runs; each run has a label of its own. */
export interface Real {
  readonly label: string
  as(agent: string): Context
  tick(milliseconds: number): void
}

type Command = fc.AsyncCommand<Model, Real>

const AGENTS = ['ann', 'bob'] as const
const MINUTE = 60_000

/** Few, so that what is done to one of them is often done to the same again. */
const MOST_TASKS = 4

/** An operation on one of the tasks there are: the model says what must come of it. */
function onTask(
  name: string,
  run: (task: ModelTask, model: Model, real: Real) => Promise<void>,
): fc.Arbitrary<Command> {
  return fc.nat(MOST_TASKS - 1).map((at) => ({
    check: ({ tasks }) => tasks.some(({ deleted }) => !deleted),
    async run(model, real) {
      const live = model.tasks.filter(({ deleted }) => !deleted)
      const task = live[at % live.length]
      if (task === undefined) return
      await run(task, model, real)
      await compare(model, real)
    },
    toString: () => `${name}(${at})`,
  }))
}

const create = fc
  .record({
    priority: fc.constantFrom(0, 500, 1000),
    due: fc.constantFrom(undefined, '2026-12-01', '2027-01-01'),
    needsVerification: fc.boolean(),
  })
  .map(({ priority, due, needsVerification }): Command => ({
    check: ({ tasks }) => tasks.length < MOST_TASKS,
    async run(model, real) {
      const { task } = await execute(real.as('ann'), createTask, {
        title: 'T',
        labels: [real.label],
        priority,
        ...(due !== undefined && { due_date: due }),
        needs_verification: needsVerification,
      })
      model.tasks.push(
        newModelTask({ id: task.id, number: task.number, priority, due, needsVerification }),
      )
      await compare(model, real)
    },
    toString: () => `create(${priority}, ${due}, ${needsVerification})`,
  }))

const relate = fc
  .tuple(
    fc.nat(MOST_TASKS - 1),
    fc.nat(MOST_TASKS - 1),
    fc.constantFrom('blocks', 'subtask_of'),
    fc.boolean(),
  )
  .map(([one, other, type, remove]): Command => ({
    check: ({ tasks }) => tasks.filter(({ deleted }) => !deleted).length > 1,
    async run(model, real) {
      const live = model.tasks.filter(({ deleted }) => !deleted)
      const source = live[one % live.length]
      const target = live[other % live.length]
      if (source === undefined || target === undefined || source === target) return
      // Read from the end that has it: what blocks a task, what a task is a part of.
      const [from, to] = type === 'blocks' ? [target, source] : [source, target]
      const edges = (task: ModelTask) => (type === 'blocks' ? task.blockers : task.wholes)
      const input = { source: source.id, type, target: target.id }
      const isForeign = isHeldAgainst('ann', model, from)
      if (remove) {
        const outcome = await attempt(() => execute(real.as('ann'), deleteRelation, input))
        const isDone = !isForeign && edges(from).delete(to)
        expect(outcome).toBe(isForeign ? 'held' : isDone ? 'done' : 'not_found')
      } else {
        const isCircle = reaches(to, from, edges)
        const outcome = await attempt(() => execute(real.as('ann'), createRelation, input))
        expect(outcome).toBe(isCircle ? 'cycle' : isForeign ? 'held' : 'done')
        if (outcome === 'done') edges(from).add(to)
      }
      await compare(model, real)
    },
    toString: () => `${remove ? 'unrelate' : 'relate'}(${one}, ${type}, ${other})`,
  }))

function leaseCommands(agent: (typeof AGENTS)[number]): fc.Arbitrary<Command>[] {
  const id = agentIdOf(agent)
  const holds = (model: Model, task: ModelTask) => isHeld(model, task) && task.lease?.agent === id
  return [
    onTask(`claim by ${agent}`, (task, model, real) => claim(agent, task, model, real)),
    onTask(`take by ${agent}`, (_, model, real) =>
      afterSweep(model, async () => {
        const [best] = claimable(model, id)
        const { claimed } = await execute(real.as(agent), takeTask, { labels: [real.label] })
        expect(claimed?.task.id).toBe(best?.id)
        if (best !== undefined) grant(model, best, id)
        expect(claimed?.lease.fence).toBe(best?.fence)
        return 'done'
      }),
    ),
    onTask(`renew by ${agent}`, (task, model, real) =>
      afterSweep(model, async () => {
        const input = { id: task.id, fence: Math.max(1, task.fence) }
        const outcome = await attempt(() => execute(real.as(agent), renewTask, input))
        expect(outcome).toBe(holds(model, task) ? 'done' : 'lease_lost')
        if (outcome === 'done') grant(model, task, id)
        return outcome
      }),
    ),
    ...[undefined, 'lunch'].map((reason) =>
      onTask(`release by ${agent} (${reason})`, (task, model, real) =>
        afterSweep(model, async () => {
          const input = { id: task.id, reason }
          const outcome = await attempt(() => execute(real.as(agent), releaseTask, input))
          expect(outcome).toBe(holds(model, task) ? 'done' : 'lease_lost')
          if (outcome !== 'done') return outcome
          if (task.lease?.started && task.status === 'in_progress') task.status = 'todo'
          task.lease = undefined
          task.withheld =
            reason === undefined ? undefined : { agent: id, until: model.now + 30 * MINUTE }
          if (reason !== undefined) task.lost = 0
          return outcome
        }),
      ),
    ),
    onTask(`complete by ${agent}`, (task, model, real) =>
      close(task, model, {
        expected: () => completeOutcome(model, task, agent),
        run: () => execute(real.as(agent), completeTask, { id: task.id }),
        status: 'done',
      }),
    ),
  ]
}

async function claim(agent: string, task: ModelTask, model: Model, real: Real): Promise<void> {
  await afterSweep(model, async () => {
    const expected = claimOutcome(model, task, agentIdOf(agent))
    const outcome = await attempt(() => execute(real.as(agent), claimTask, { id: task.id }))
    expect(outcome).toBe(expected)
    if (expected === 'done') grant(model, task, agentIdOf(agent))
    return outcome
  })
}

function tick(minutes: number, model: Model, real: Real): void {
  model.now += minutes * MINUTE
  real.tick(minutes * MINUTE)
}

/** Ends a task, unless it has ended: the same end again changes nothing, another one is refused. */
async function close(
  task: ModelTask,
  model: Model,
  end: {
    readonly expected: () => string
    readonly run: () => Promise<unknown>
    readonly status: 'done' | 'cancelled'
  },
): Promise<void> {
  if (!isOpen(task)) {
    expect(await attempt(end.run)).toBe(task.status === end.status ? 'done' : 'closed')
    return
  }
  await afterSweep(model, async () => {
    const expected = end.expected()
    const outcome = await attempt(end.run)
    expect(outcome).toBe(expected)
    if (outcome !== 'done') return outcome
    // Only the holder's own fence outlives the end of the task.
    if (!isHeld(model, task)) endFence(task)
    free(task)
    task.status = end.status
    task.verified = false
    offerAgain(model, task)
    return outcome
  })
}

function isHeldAgainst(agent: string, model: Model, task: ModelTask): boolean {
  return isHeld(model, task) && task.lease?.agent !== agentIdOf(agent)
}

function endFence(task: ModelTask): void {
  if (task.fence > 0) task.fence += 1
}

function completeOutcome(model: Model, task: ModelTask, agent: string): string {
  if (isHeldAgainst(agent, model, task)) return 'held'
  if (unresolvedBlockers(task).length > 0) return 'blocked'
  return hasOpenParts(model, task) ? 'open_parts' : 'done'
}

function claimOutcome(model: Model, task: ModelTask, agent: string): string {
  if (isHeld(model, task)) return task.lease?.agent === agent ? 'done' : 'held'
  if (!isOpen(task)) return 'closed'
  if (task.parked) return 'parked'
  if (task.deferUntil > model.now) return 'deferred'
  if (isBlocked(task) || task.status === 'blocked') return 'blocked'
  return hasOpenParts(model, task) ? 'open_parts' : 'done'
}

function grant(model: Model, task: ModelTask, agent: string): void {
  const expiresAt = model.now + 15 * MINUTE
  if (task.lease !== undefined) {
    task.lease = { ...task.lease, expiresAt }
    return
  }
  task.fence += 1
  task.withheld = undefined
  task.lease = { agent, expiresAt, started: task.status === 'todo' }
  if (task.status === 'todo') task.status = 'in_progress'
}

/** An agent that takes a task and is never heard of again. */
const loseLease = onTask('lose', async (task, model, real) => {
  await claim('ann', task, model, real)
  tick(20, model, real)
})

export const commands: fc.Arbitrary<Command>[] = [
  create,
  create,
  create,
  relate,
  relate,
  relate,
  loseLease,
  loseLease,
  ...AGENTS.flatMap(leaseCommands),
  onTask('verify', async (task, model, real) => {
    const outcome = await attempt(() => execute(real.as('ann'), verifyTask, { id: task.id }))
    const isForeign = isHeldAgainst('ann', model, task)
    expect(outcome).toBe(isForeign ? 'held' : task.status === 'done' ? 'done' : 'not_done')
    if (outcome !== 'done' || task.verified) return
    task.verified = true
    if (task.needsVerification) offerAgain(model, task)
  }),
  onTask('cancel', (task, model, real) =>
    close(task, model, {
      expected: () => (isHeldAgainst('ann', model, task) ? 'held' : 'done'),
      run: () => execute(real.as('ann'), cancelTask, { id: task.id }),
      status: 'cancelled',
    }),
  ),
  onTask('reopen', (task, model, real) =>
    afterSweep(model, async () => {
      const reopen = () => execute(real.as('ann'), reopenTask, { id: task.id })
      if (isHeldAgainst('ann', model, task)) {
        expect(await attempt(reopen)).toBe('held')
        return 'held'
      }
      const { changed } = await reopen()
      expect(changed).toBe(!isOpen(task) || task.parked)
      if (changed) {
        endFence(task)
        free(task)
        if (!isOpen(task)) task.status = 'todo'
        task.verified = false
      }
      return 'done'
    }),
  ),
  ...(['blocked', 'todo'] as const).map((status) =>
    onTask(`say ${status}`, async (task, model, real) => {
      if (!isOpen(task)) return
      const update = () => execute(real.as('ann'), updateTask, { id: task.id, status })
      const outcome = await attempt(update)
      expect(outcome).toBe(isHeldAgainst('ann', model, task) ? 'held' : 'done')
      if (outcome === 'done') task.status = status
    }),
  ),
  onTask('defer', async (task, model, real) => {
    const deferUntil = model.now + 30 * MINUTE
    const until = new Date(deferUntil).toISOString()
    const defer = () => execute(real.as('ann'), deferTask, { id: task.id, until })
    const outcome = await attempt(defer)
    expect(outcome).toBe(isHeldAgainst('ann', model, task) ? 'held' : 'done')
    if (outcome === 'done') task.deferUntil = deferUntil
  }),
  onTask('delete', async (task, model, real) => {
    const outcome = await attempt(() => execute(real.as('ann'), removeTask, { id: task.id }))
    expect(outcome).toBe(isHeldAgainst('ann', model, task) ? 'held' : 'done')
    if (outcome !== 'done') return
    task.deleted = true
    task.lease = undefined
  }),
  fc.constantFrom(5, 20).map((minutes): Command => ({
    check: () => true,
    async run(model, real) {
      tick(minutes, model, real)
      await compare(model, real)
    },
    toString: () => `tick(${minutes})`,
  })),
]

/** What the queue shows must be what the model has, in the same order. The rest of it is compared at the end. */
async function compare(model: Model, real: Real): Promise<void> {
  const context = real.as('ann')
  const labels = [real.label]
  const seen = await execute(context, readyTasks, { labels, include_held: true, limit: 100 })
  expect(seen.tasks.map(({ id }) => id)).toEqual(ready(model).map(({ id }) => id))
  expect(seen.tasks.map(({ lease }) => lease?.agent_id)).toEqual(
    ready(model).map((task) => (isHeld(model, task) ? task.lease?.agent : undefined)),
  )
}

/** Ready, explained as claimable and handed out by `take`: for each agent these are the same tasks. */
export async function compareAll(model: Model, real: Real): Promise<void> {
  const labels = [real.label]
  const waiting = await execute(real.as('ann'), blockedTasks, { labels, limit: 100 })
  expect(waiting.tasks.map(({ id }) => id)).toEqual(blocked(model).map(({ id }) => id))
  for (const agent of AGENTS) {
    const context = real.as(agent)
    const offered = claimable(model, agentIdOf(agent)).map(({ id }) => id)
    const { tasks } = await execute(context, readyTasks, { labels, limit: 100 })
    expect(tasks.map(({ id }) => id)).toEqual(offered)
    const { task } = await execute(context, nextTask, { labels })
    expect(task?.id).toBe(offered[0])
    for (const { id, deleted } of model.tasks) {
      if (deleted) continue
      const explained = await execute(context, explainTask, { id })
      expect(explained.claimable).toBe(offered.includes(id))
      expect(explained.ready).toBe(ready(model).some((one) => one.id === id))
    }
  }
  const offered = claimable(model, agentIdOf('bob')).map(({ id }) => id)
  for (const id of [...offered, undefined]) {
    const { claimed } = await execute(real.as('bob'), takeTask, { labels })
    expect(claimed?.task.id).toBe(id)
  }
}

async function attempt(work: () => Promise<unknown>): Promise<string> {
  try {
    await work()
    return 'done'
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { reason } = error.details
    return typeof reason === 'string' ? reason : error.code
  }
}
