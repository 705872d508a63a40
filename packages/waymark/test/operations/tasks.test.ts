import { describe, expect, it } from 'vitest'
import { agentIdOf } from '../../src/agent/agent.ts'
import { execute } from '../../src/core/execute.ts'
import { getEntity } from '../../src/entity/operations.ts'
import { projectStatus } from '../../src/project/operations.ts'
import { editTasks } from '../../src/task/state/bulk.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
import { listTasks } from '../../src/task/queue/list.ts'
import { cancelTask, completeTask } from '../../src/task/state/operations.ts'
import {
  createTask,
  createTasks,
  getTask,
  removeTask,
  updateTask,
} from '../../src/task/operations.ts'
import { type Setup, setup } from '../setup.ts'
import { toEventId } from '../../src/event/event-id.ts'

async function projectWith(...tasks: readonly (string | object)[]): Promise<Setup> {
  const project = await setup()
  for (const task of tasks) {
    await execute(project.context, createTask, typeof task === 'string' ? { title: task } : task)
  }
  return project
}

describe('creating', () => {
  it('a task comes back with everything that was said about it', async () => {
    await using project = await projectWith('A', 'B')
    const { task } = await execute(project.context, createTask, {
      title: 'C',
      content: 'text',
      labels: ['api', 'api'],
      priority: 'high',
      due_date: '2026-12-01',
      defer_until: '2026-11-20',
      assignee: 'kim',
      task_type: 'bug',
      acceptance_criteria: ['it works'],
      locks: ['src/**'],
      needs_verification: true,
      key: 'T003',
      depends_on: ['1'],
      parent: '2',
      discovered_from: '1',
      duplicates: '2',
    })
    expect(task).toMatchObject({
      number: 3,
      key: 'T003',
      title: 'C',
      content: 'text',
      status: 'todo',
      priority: 250,
      labels: ['api'],
      due_date: '2026-12-01',
      defer_until: '2026-11-20',
      assignee: 'kim',
      task_type: 'bug',
      acceptance_criteria: ['it works'],
      locks: ['src/**'],
      needs_verification: true,
      verified: false,
      depends_on: [{ number: 1 }],
      blockers: [{ number: 1, title: 'A' }],
      parents: [{ number: 2, title: 'B' }],
      discovered_from: [{ number: 1 }],
      duplicates: [{ number: 2 }],
      created_by: 'tester',
    })
    expect(await execute(project.context, getTask, { id: 'T003' })).toEqual({
      ...task,
      trust: expect.objectContaining({ via: 'api' }),
      linked: {},
      warnings: [],
    })
    expect(await execute(project.context, getTask, { id: '2' })).toMatchObject({
      subtasks: [{ number: 3 }],
      duplicated_by: [{ number: 3 }],
    })
    expect(await execute(project.context, getTask, { id: '1' })).toMatchObject({
      blocks: [{ number: 3 }],
    })
  })

  it('many at once may name each other, in any order', async () => {
    await using project = await setup()
    const { tasks } = await execute(project.context, createTasks, {
      tasks: [
        { title: 'last', key: 'L', depends_on: ['F'] },
        { title: 'first', key: 'F' },
      ],
    })
    expect(tasks).toMatchObject([{ blockers: [{ key: 'F' }] }, { blocks: [{ key: 'L' }] }])
  })

  it('one that fails lets none of them be made, and is named', async () => {
    await using project = await projectWith('A')
    const created = execute(project.context, createTasks, {
      tasks: [{ title: 'B' }, { title: 'C', depends_on: ['1', '77'] }],
    })
    await expect(created).rejects.toMatchObject({
      code: 'not_found',
      details: { index: 1, field: 'tasks.1.depends_on.1', id: '77' },
    })
    expect(await execute(project.context, listTasks, {})).toMatchObject({ total: 1 })
    expect(await project.context.store.events.latest()).toBe(1)
  })

  it('a key can be had once', async () => {
    await using project = await projectWith({ title: 'A', key: 'T1' })
    await expect(
      execute(project.context, createTask, { title: 'B', key: 'T1' }),
    ).rejects.toMatchObject({ code: 'conflict', details: { reason: 'key_taken', key: 'T1' } })
    await expect(
      execute(project.context, createTasks, {
        tasks: [
          { title: 'B', key: 'K' },
          { title: 'C', key: 'K' },
        ],
      }),
    ).rejects.toMatchObject({ code: 'conflict', details: { index: 1 } })
  })

  it('a circle of blockers is refused and shown', async () => {
    await using project = await projectWith('A', { title: 'B', depends_on: ['1'] })
    const closing = execute(project.context, updateTask, { id: '1', add_depends_on: ['2'] })
    await expect(closing).rejects.toMatchObject({ details: { reason: 'cycle' } })
    await expect(closing).rejects.toThrow('#2 → #1 → #2')
  })
})

describe('listing', () => {
  it('finds by status, words, age and date', async () => {
    await using project = await projectWith(
      { title: 'Urgent: fix login', priority: 'urgent', due_date: '2026-11-20' },
      { title: 'Docs', content: 'urgent too', due_date: '2026-12-24' },
    )
    project.tick(3_600_000)
    await execute(project.context, createTask, { title: 'Late', status: 'in_progress' })
    const titles = async (filter: object) =>
      (await execute(project.context, listTasks, filter)).tasks.map(({ title }) => title)
    expect(await titles({ text: 'URGENT' })).toEqual(['Urgent: fix login', 'Docs'])
    expect(await titles({ text: 'fix urgent' })).toEqual(['Urgent: fix login'])
    expect(await titles({ text: '%' })).toEqual([])
    expect(await titles({ statuses: ['in_progress', 'done'] })).toEqual(['Late'])
    expect(await titles({ created_after: '2026-11-15T12:30:00Z' })).toEqual(['Late'])
    expect(await titles({ due_before: '2026-12-24' })).toEqual(['Urgent: fix login'])
  })

  it('leaves out what is done or cancelled, unless all or a status is asked for', async () => {
    await using project = await projectWith('A', 'B', 'C')
    await execute(project.context, completeTask, { id: '1' })
    await execute(project.context, cancelTask, { id: '2' })
    const list = async (filter: object) => {
      const { tasks, total } = await execute(project.context, listTasks, filter)
      expect(total).toBe(tasks.length)
      return tasks.map(({ title }) => title)
    }
    expect(await list({})).toEqual(['C'])
    expect(await list({ all: true })).toEqual(['A', 'B', 'C'])
    expect(await list({ statuses: ['done'] })).toEqual(['A'])
    expect(await list({ resolved: true })).toEqual(['A', 'B'])
  })

  it('pages leave nothing out and show nothing twice, even when a task is added in between', async () => {
    await using project = await projectWith('A', 'B', 'C', 'D')
    const { context } = project
    const first = await execute(context, listTasks, { limit: 2 })
    expect(first).toMatchObject({ tasks: [{ title: 'A' }, { title: 'B' }], total: 4 })
    await execute(context, createTask, { title: 'urgent', priority: 'urgent' })
    const second = await execute(context, listTasks, { limit: 2, cursor: first.next_cursor })
    expect(second.tasks.map(({ title }) => title)).toEqual(['C', 'D'])
    expect(
      await execute(context, listTasks, { limit: 2, cursor: second.next_cursor }),
    ).toMatchObject({ tasks: [], total: 5 })
    expect(await execute(context, listTasks, { limit: 2, offset: 4 })).toMatchObject({
      tasks: [{ title: 'D' }],
    })
    await expect(execute(context, listTasks, { cursor: 'nonsense' })).rejects.toMatchObject({
      code: 'invalid_input',
      details: { field: 'cursor' },
    })
  })
})

describe('editing', () => {
  it('changes what is named, clears what is null, keeps the rest', async () => {
    await using project = await projectWith('A', {
      title: 'B',
      content: 'text',
      labels: ['x', 'y'],
      due_date: '2026-12-01',
      assignee: 'kim',
      depends_on: ['1'],
      parent: '1',
    })
    const { task } = await execute(project.context, updateTask, {
      id: '2',
      title: 'B2',
      content: null,
      add_labels: ['z'],
      remove_labels: ['x'],
      priority: 10,
      assignee: null,
      remove_depends_on: ['1'],
      parent: null,
    })
    expect(task).toMatchObject({
      title: 'B2',
      labels: ['y', 'z'],
      priority: 10,
      due_date: '2026-12-01',
      depends_on: [],
      parents: [],
    })
    expect(task).not.toHaveProperty('content')
    expect(task).not.toHaveProperty('assignee')
  })

  it('can be said to say the same as another, once and no longer', async () => {
    await using project = await projectWith('A', 'B', 'C')
    const { context } = project
    const marked = async (duplicates: string | null) =>
      (await execute(context, updateTask, { id: '3', duplicates })).task.duplicates
    expect(await marked('1')).toMatchObject([{ number: 1 }])
    expect(await marked('2')).toMatchObject([{ number: 2 }])
    expect(await marked(null)).toEqual([])
    await expect(marked('3')).rejects.toMatchObject({
      code: 'invalid_input',
      details: { field: 'duplicates' },
    })
  })

  it('a new status takes the same way as completing and reopening', async () => {
    await using project = await projectWith('A', { title: 'B', depends_on: ['1'] })
    const { context } = project
    await expect(execute(context, updateTask, { id: '2', status: 'done' })).rejects.toMatchObject({
      details: { reason: 'blocked' },
    })
    expect(await execute(context, updateTask, { id: '1', status: 'done' })).toMatchObject({
      task: { status: 'done', completed_at: expect.any(String) },
    })
    const reopened = await execute(context, updateTask, { id: '1', status: 'in_progress' })
    expect(reopened.task).toMatchObject({ status: 'in_progress' })
    expect(reopened.task).not.toHaveProperty('completed_at')
  })

  it('with a fence of a lost lease is refused', async () => {
    await using project = await projectWith('A')
    await execute(project.as('ann'), claimTask, { id: '1' })
    project.tick(3_600_000)
    await execute(project.as('bob'), claimTask, { id: '1' })
    await expect(
      execute(project.as('ann'), updateTask, { id: '1', fence: 1, content: 'late' }),
    ).rejects.toMatchObject({ code: 'lease_lost' })
    await execute(project.as('bob'), updateTask, { id: '1', fence: 2, content: 'mine' })
  })

  it('several at once, all or none, with the index of the one that failed', async () => {
    await using project = await projectWith('A', 'B', 'C', 'D')
    const { context } = project
    const edits = [
      { id: '1', action: 'update', priority: 1 },
      { id: '2', action: 'complete' },
      { id: '3', action: 'delete', reason: 'twice' },
    ]
    await expect(
      execute(context, editTasks, { edits: [...edits, { id: '99', action: 'cancel' }] }),
    ).rejects.toMatchObject({ code: 'not_found', details: { index: 3, field: 'edits.3.id' } })
    expect(await execute(context, getTask, { id: '1' })).toMatchObject({ priority: 500 })
    expect(await execute(context, getTask, { id: '3' })).toMatchObject({ title: 'C' })
    const { results } = await execute(context, editTasks, { edits })
    expect(results).toMatchObject([
      { action: 'update', task: { priority: 1 } },
      { action: 'complete', task: { status: 'done' } },
      { action: 'delete', deleted: { number: 3, title: 'C' } },
    ])
  })

  it('an action uses what belongs to it, and refuses what it would lose', async () => {
    await using project = await projectWith('A', 'B')
    const edit = (fields: object) =>
      execute(project.context, editTasks, { edits: [{ id: '1', ...fields }] })
    await expect(edit({ action: 'complete', add_labels: ['x'] })).rejects.toMatchObject({
      code: 'invalid_input',
      details: { field: 'edits.0.add_labels', index: 0 },
    })
    expect(await edit({ action: 'complete', needs_verification: true })).toMatchObject({
      results: [{ task: { status: 'done', needs_verification: true } }],
    })
    await edit({ action: 'reopen' })
    expect(await edit({ action: 'cancel', duplicates: '2', reason: 'twice' })).toMatchObject({
      results: [{ task: { status: 'cancelled', duplicates: [{ number: 2 }] } }],
    })
  })
})

describe('a caller that gives up', () => {
  it('in the middle of a long edit finds nothing changed, and the next caller is served', async () => {
    await using project = await setup()
    const tasks = Array.from({ length: 200 }, (_, at) => ({ title: `T${at}` }))
    await execute(project.context, createTasks, { tasks })
    const latest = await project.context.store.events.latest()
    const controller = new AbortController()
    const edits = tasks.map((_, at) => ({ id: String(at + 1), action: 'complete' }))
    let asked = 0
    const now = () => {
      // Asked once, when the change begins: the caller gives up while it goes on.
      asked += 1
      setImmediate(() => controller.abort(new DOMException('', 'TimeoutError')))
      return project.context.now()
    }
    const context = project.as('ann', { signal: controller.signal, now })
    await expect(execute(context, editTasks, { edits })).rejects.toMatchObject({ code: 'timeout' })
    expect(asked).toBe(1)
    expect(await project.context.store.events.latest()).toBe(latest)
    expect(await execute(project.context, listTasks, { statuses: ['done'] })).toMatchObject({
      total: 0,
    })
    await execute(project.context, editTasks, { edits })
  })
})

describe('deleting', () => {
  it('leaves nothing of the task but a record of who deleted it, when and why', async () => {
    await using project = await projectWith({ title: 'Secret', content: 'very' })
    const { context } = project
    const { id } = await execute(context, getTask, { id: '1' })
    await execute(project.as('ann'), removeTask, { id: '1', reason: 'made by mistake' })
    await expect(execute(context, getTask, { id })).rejects.toMatchObject({ code: 'not_found' })
    await expect(execute(context, getEntity, { id })).rejects.toMatchObject({ code: 'not_found' })
    expect(await context.store.entities.deletedById(id)).toMatchObject({
      title: '',
      content: null,
      properties: {},
      deletedBy: 'ann',
    })
    const events = await context.store.events.after(toEventId(1), { limit: 10 })
    expect(events).toMatchObject([
      {
        type: 'entity.deleted',
        subject: id,
        agent: 'ann',
        data: { action: 'delete', reason: 'made by mistake', agent_id: agentIdOf('ann') },
      },
    ])
  })
})

it('the status of the project counts what there is and says what to do', async () => {
  await using project = await projectWith('A', 'B', { title: 'C', depends_on: ['1'] })
  await execute(project.as('ann'), claimTask, { id: '1' })
  expect(await execute(project.as('ann'), projectStatus, {})).toMatchObject({
    statuses: ['todo', 'in_progress', 'blocked', 'done', 'cancelled'],
    tasks: { todo: 2, in_progress: 1, blocked: 0, done: 0, cancelled: 0 },
    total: 3,
    ready: 2,
    claimable: 1,
    blocked: 1,
    active_leases: 1,
    agents_online: 1,
    unread_messages: 0,
    next_task: { number: 2 },
    suggestions: ['claim task 2, the most urgent of 1'],
  })
})
