import { describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { createEntity, deleteEntity } from '../../src/entity/operations.ts'
import { listTags } from '../../src/entity/tags.ts'
import { listEvents } from '../../src/event/operations.ts'
import { createTask, createTasks } from '../../src/task/operations.ts'
import { showTaskBoard } from '../../src/task/queue/board.ts'
import { showTaskTree } from '../../src/task/queue/tree.ts'
import { cancelTask, completeTask } from '../../src/task/state/operations.ts'
import { setup } from '../setup.ts'

describe('the board', () => {
  it('has each task once, under its status, the most urgent first and no more than asked for', async () => {
    await using project = await setup()
    const { context } = project
    const tasks = ['A', 'B', 'C', 'D'].map((title) => ({ title }))
    await execute(context, createTasks, { tasks: [...tasks, { title: 'E', priority: 'urgent' }] })
    await execute(context, completeTask, { id: '1' })
    await execute(context, cancelTask, { id: '2' })
    const { columns } = await execute(context, showTaskBoard, { limit: 2 })
    expect(
      columns.map(({ status, total, tasks }) => [status, total, tasks.map(({ title }) => title)]),
    ).toEqual([
      ['todo', 3, ['E', 'C']],
      ['in_progress', 0, []],
      ['blocked', 0, []],
      ['done', 1, ['A']],
      ['cancelled', 1, ['B']],
    ])
  })

  it('has a task that waits for another under blocked, until that is done [board-waiting]', async () => {
    await using project = await setup()
    const { context } = project
    const tasks = [
      { title: 'A' },
      { title: 'B', depends_on: ['1'], labels: ['x'] },
      { title: 'C', status: 'blocked', labels: ['x'] },
      { title: 'D', status: 'in_progress', depends_on: ['1'] },
      { title: 'Whole' },
      { title: 'Part', parent: '5' },
    ]
    for (const task of tasks) await execute(context, createTask, task)
    const board = async (input = {}) => {
      const { columns } = await execute(context, showTaskBoard, input)
      return columns
        .slice(0, 3)
        .map(({ total, tasks }) => [total, tasks.map((row) => row.title).join()])
    }
    expect(await board()).toEqual([
      [3, 'A,Whole,Part'],
      [1, 'D'],
      [2, 'B,C'],
    ])
    expect(await board({ labels: ['x'] })).toEqual([
      [0, ''],
      [0, ''],
      [2, 'B,C'],
    ])
    await execute(context, completeTask, { id: '1' })
    expect(await board()).toEqual([
      [3, 'B,Whole,Part'],
      [1, 'D'],
      [1, 'C'],
    ])
  })
})

describe('the tree', () => {
  it('has each task before its parts, from the tasks that are no part', async () => {
    await using project = await setup()
    const { context } = project
    for (const [title, parent] of [
      ['Whole'],
      ['Part', '1'],
      ['Piece', '2'],
      ['Other'],
      ['Last', '1'],
    ])
      await execute(context, createTask, { title, ...(parent !== undefined && { parent }) })
    await execute(context, completeTask, { id: '3' })
    const lines = async (input: { id?: string }) => {
      const { tasks, truncated } = await execute(context, showTaskTree, input)
      expect(truncated).toBe(false)
      return tasks.map(({ title, status, depth }) => `${'-'.repeat(depth)}${title} ${status}`)
    }
    expect(await lines({})).toEqual([
      'Whole todo',
      '-Part todo',
      '--Piece done',
      '-Last todo',
      'Other todo',
    ])
    expect(await lines({ id: '2' })).toEqual(['Part todo', '-Piece done'])
    await expect(lines({ id: '9' })).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('tags', () => {
  it('are counted over what is there', async () => {
    await using project = await setup()
    const { context } = project
    for (const tags of [['db', 'api'], ['db'], ['old']])
      await execute(context, createEntity, { type: 'note', title: 'N', tags })
    await execute(context, deleteEntity, { id: '3' })
    expect(await execute(context, listTags, {})).toEqual({
      tags: [
        { tag: 'db', count: 2 },
        { tag: 'api', count: 1 },
      ],
    })
  })
})

describe('events', () => {
  it('are read from a time on', async () => {
    await using project = await setup()
    const { context } = project
    await execute(context, createTask, { title: 'A' })
    project.tick(60_000)
    await execute(context, createTask, { title: 'B' })
    const since = async (since_time: string) =>
      (await execute(context, listEvents, { since_time })).events.map(({ id }) => id)
    expect(await since('2026-11-15T12:00:00Z')).toEqual([1, 2])
    expect(await since('2026-11-15T12:00:30Z')).toEqual([2])
    expect(await since('2026-11-16')).toEqual([])
    await execute(context, completeTask, { id: '1' })
    const newest = async (input: object) => {
      const page = await execute(context, listEvents, { newest: true, ...input })
      return [page.events.map(({ id }) => id), page.next_cursor]
    }
    expect(await newest({ limit: 2 })).toEqual([[3, 2], 3])
    expect(await newest({ since: 2 })).toEqual([[3], 3])
    expect(await newest({ types: ['entity.created'] })).toEqual([[2, 1], 2])
    expect(await newest({ since: 3 })).toEqual([[], 3])
  })
})
