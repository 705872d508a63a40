import { describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { createEntity, deleteEntity, updateEntity } from '../../src/entity/operations.ts'
import { createRelation, deleteRelation } from '../../src/relation/operations.ts'
import { blockedTasks, nextTask, readyTasks } from '../../src/task/queue/operations.ts'
import { createTask, createTasks } from '../../src/task/operations.ts'
import { completeTask, rescheduleTask } from '../../src/task/state/operations.ts'
import { type Setup, setup } from '../setup.ts'

interface Given {
  readonly title: string
  readonly tags?: readonly string[]
  readonly relations?: readonly string[]
  readonly properties?: object
}

/** A project with these tasks, numbered from 1. */
async function projectWith(...tasks: readonly Given[]): Promise<Setup> {
  const project = await setup()
  for (const task of tasks) await execute(project.context, createEntity, { type: 'task', ...task })
  return project
}

async function ready({ context }: Setup, filter: object = {}): Promise<string[]> {
  const { tasks } = await execute(context, readyTasks, filter)
  return tasks.map(({ title }) => title)
}

async function relate({ context }: Setup, source: string, type: string, target: string) {
  await execute(context, createRelation, { source, type, target })
}

async function settle({ context }: Setup, id: string, properties: object) {
  await execute(context, updateEntity, { id, properties })
}

describe('order', () => {
  it('urgent comes first, then what is due first, then what has no date, then the lower number', async () => {
    await using project = await projectWith(
      { title: 'low', properties: { priority: 'low', due_date: '2020-01-01' } },
      { title: 'normal, no date' },
      { title: 'normal, no date, later' },
      { title: 'normal, in March', properties: { due_date: '2027-03-01' } },
      { title: 'normal, in January', properties: { due_date: '2027-01-01' } },
      { title: 'a little more than normal', properties: { priority: 499 } },
      { title: 'urgent', properties: { priority: 'urgent' } },
    )
    expect(await ready(project)).toEqual([
      'urgent',
      'a little more than normal',
      'normal, in January',
      'normal, in March',
      'normal, no date',
      'normal, no date, later',
      'low',
    ])
    expect(await execute(project.context, nextTask, {})).toMatchObject({
      task: { title: 'urgent', number: 7, priority: 0, labels: [] },
    })
  })

  it('a new date moves a task, and none puts it last', async () => {
    await using project = await projectWith(
      { title: 'A', properties: { due_date: '2027-01-01' } },
      { title: 'B', properties: { due_date: '2027-02-01' } },
      { title: 'C', properties: { due_date: '2027-03-01' } },
    )
    const { context } = project
    await execute(context, rescheduleTask, { id: '3', due_date: '2026-12-01' })
    expect(await ready(project)).toEqual(['C', 'A', 'B'])
    expect(await execute(context, rescheduleTask, { id: '3', due_date: null })).toMatchObject({
      task: { title: 'C' },
    })
    expect(await ready(project)).toEqual(['A', 'B', 'C'])
    await expect(
      execute(context, rescheduleTask, { id: '3', due_date: '2027-02-30' }),
    ).rejects.toMatchObject({ code: 'invalid_input', details: { field: 'due_date' } })
  })
})

describe('ready', () => {
  it('a task waits until everything that blocks it is done', async () => {
    await using project = await projectWith({ title: 'A' }, { title: 'B' }, { title: 'C' })
    await relate(project, '1', 'blocks', '3')
    await relate(project, '2', 'blocks', '3')
    expect(await ready(project)).toEqual(['A', 'B'])
    expect(await execute(project.context, completeTask, { id: '1' })).toMatchObject({
      task: { status: 'done' },
      changed: true,
      newly_ready: [],
    })
    expect(await execute(project.context, completeTask, { id: '2' })).toMatchObject({
      newly_ready: [{ number: 3, title: 'C' }],
    })
    expect(await ready(project)).toEqual(['C'])
  })

  it('a cancelled blocker is as good as a done one', async () => {
    await using project = await projectWith({ title: 'A' }, { title: 'B' })
    await relate(project, '1', 'blocks', '2')
    await settle(project, '1', { status: 'cancelled' })
    expect(await ready(project)).toEqual(['B'])
  })

  it('a blocker that needs verification blocks until it is verified, and again when it is reopened', async () => {
    await using project = await projectWith(
      { title: 'A', properties: { needs_verification: true } },
      { title: 'B' },
    )
    await relate(project, '1', 'blocks', '2')
    expect(await execute(project.context, completeTask, { id: '1' })).toMatchObject({
      newly_ready: [],
    })
    expect(await ready(project)).toEqual([])
    await settle(project, '1', { needs_verification: false })
    expect(await ready(project)).toEqual(['B'])
    await settle(project, '1', { status: 'todo' })
    expect(await ready(project)).toEqual(['A'])
  })

  it('a task with the status blocked is not ready; of entities only tasks block', async () => {
    await using project = await projectWith(
      { title: 'A', properties: { status: 'blocked' } },
      { title: 'B', properties: { status: 'in_progress' } },
    )
    await execute(project.context, createEntity, { type: 'decision', title: 'D' })
    await relate(project, '3', 'blocks', '1')
    expect(await ready(project)).toEqual(['B'])
    await settle(project, '1', { status: 'todo' })
    expect(await ready(project)).toEqual(['A', 'B'])
    expect(await ready(project, { status: 'in_progress' })).toEqual(['B'])
  })

  it('removing the edge or the blocker sets a task free', async () => {
    await using project = await projectWith({ title: 'A' }, { title: 'B' }, { title: 'C' })
    await relate(project, '1', 'blocks', '3')
    await relate(project, '2', 'blocks', '3')
    await execute(project.context, deleteRelation, { source: '1', type: 'blocks', target: '3' })
    expect(await ready(project)).toEqual(['A', 'B'])
    await execute(project.context, deleteEntity, { id: '2' })
    expect(await ready(project)).toEqual(['A', 'C'])
  })

  it('the parts of a blocked task are blocked with it, at any depth, and freed with it', async () => {
    await using project = await projectWith(
      { title: 'blocker' },
      { title: 'whole' },
      { title: 'part', relations: ['subtask_of:2'] },
      { title: 'part of part', relations: ['subtask_of:3'] },
    )
    expect(await ready(project)).toEqual(['blocker', 'part of part'])
    await relate(project, '1', 'blocks', '2')
    expect(await ready(project)).toEqual(['blocker'])
    expect(await execute(project.context, blockedTasks, {})).toMatchObject({
      total: 3,
      tasks: [
        { title: 'whole', blockers: [{ title: 'blocker', status: 'todo' }] },
        { title: 'part', blockers: [{ title: 'blocker' }] },
        { title: 'part of part', blockers: [{ title: 'blocker' }] },
      ],
    })
    const { newly_ready } = await execute(project.context, completeTask, { id: '1' })
    expect(newly_ready.map(({ title }) => title)).toEqual(['part of part'])
    expect(await ready(project)).toEqual(['part of part'])
  })

  it('a part of a closed task stands on its own', async () => {
    await using project = await projectWith(
      { title: 'blocker' },
      { title: 'whole' },
      { title: 'part', relations: ['subtask_of:2'] },
    )
    await relate(project, '1', 'blocks', '2')
    await settle(project, '2', { status: 'cancelled' })
    expect(await ready(project)).toEqual(['blocker', 'part'])
  })

  it('what is deferred is ready when its time has come', async () => {
    await using project = await projectWith(
      { title: 'A', properties: { defer_until: '2026-11-15T13:00:00Z' } },
      { title: 'B', properties: { defer_until: '2026-11-16' } },
    )
    expect(await ready(project)).toEqual([])
    expect(await ready(project, { include_deferred: true })).toEqual(['A', 'B'])
    project.tick(3_600_000)
    expect(await ready(project)).toEqual(['A'])
    project.tick(24 * 3_600_000)
    expect(await ready(project)).toEqual(['A', 'B'])
  })

  it('can be narrowed by urgency, label, kind, assignee and parent', async () => {
    await using project = await projectWith(
      { title: 'A', tags: ['api', 'db'], properties: { priority: 'high', assignee: 'kim' } },
      { title: 'B', tags: ['api'], properties: { priority: 499, task_type: 'bug' } },
      { title: 'W', properties: { priority: 'low' } },
      { title: 'C', relations: ['subtask_of:3'] },
    )
    expect(await ready(project, { priority: 'high' })).toEqual(['A', 'B'])
    expect(await ready(project, { max_priority: 300 })).toEqual(['A'])
    expect(await ready(project, { labels: ['api'] })).toEqual(['A', 'B'])
    expect(await ready(project, { labels: ['api', 'db'] })).toEqual(['A'])
    expect(await ready(project, { task_type: 'bug' })).toEqual(['B'])
    expect(await ready(project, { assignee: 'kim' })).toEqual(['A'])
    expect(await ready(project, { parent: '3' })).toEqual(['C'])
    expect(await execute(project.context, readyTasks, { limit: 1 })).toMatchObject({
      tasks: [{ title: 'A' }],
      total: 3,
    })
  })
})

describe('blocked', () => {
  it('says of one task what blocks it, and of a free one that nothing does', async () => {
    await using project = await projectWith({ title: 'A' }, { title: 'B' })
    await relate(project, '1', 'blocks', '2')
    const blockers = async (id: string) =>
      (await execute(project.context, blockedTasks, { id })).tasks[0]?.blockers
    expect(await blockers('2')).toMatchObject([{ number: 1, title: 'A', status: 'todo' }])
    expect(await blockers('1')).toEqual([])
  })

  it('only a task can be asked about', async () => {
    await using project = await setup()
    await execute(project.context, createEntity, { type: 'note', title: 'N' })
    await expect(execute(project.context, blockedTasks, { id: '1' })).rejects.toMatchObject({
      code: 'not_found',
      details: { kind: 'task' },
    })
  })
})

describe('completing', () => {
  it('a task that is done already stays as it is', async () => {
    await using project = await projectWith({ title: 'A' })
    await execute(project.context, completeTask, { id: '1', reason: 'shipped' })
    const events = await project.context.store.events.latest()
    expect(await execute(project.context, completeTask, { id: '1' })).toMatchObject({
      changed: false,
      task: { status: 'done' },
    })
    expect(await project.context.store.events.latest()).toBe(events)
  })
})

it('a long list of blocked tasks leaves others their turn, and ends with its caller [task-queue-blocked-pages]', async () => {
  await using project = await setup()
  const { context } = project
  await execute(context, createTask, { title: 'hub', priority: 'low' })
  for (let left = 250; left > 0; left -= 50) {
    const tasks = Array.from({ length: 50 }, (_, at) => ({ title: `${at}`, depends_on: ['1'] }))
    await execute(context, createTasks, { tasks })
  }
  let turns = 0
  let other = setImmediate(function next() {
    turns += 1
    other = setImmediate(next)
  })
  const { tasks, total } = await execute(context, blockedTasks, { limit: 100_000 })
  expect(turns).toBeGreaterThan(1)
  expect([tasks.length, total]).toEqual([250, 250])
  expect(tasks.map(({ number }) => number)).toEqual(Array.from({ length: 250 }, (_, at) => at + 2))
  expect(tasks.every(({ blockers }) => blockers[0]?.number === 1)).toBe(true)
  const part = await execute(context, blockedTasks, { limit: 130, offset: 70, blockers_only: true })
  expect(part).toEqual({ tasks: tasks.slice(70, 200), total: 250 })
  const caller = new AbortController()
  const asked = execute({ ...context, signal: caller.signal }, blockedTasks, { limit: 1_000 })
  setImmediate(() => caller.abort())
  await expect(asked).rejects.toMatchObject({ code: 'cancelled' })
  clearImmediate(other)
})
