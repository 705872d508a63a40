import fc from 'fast-check'
import { expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { checkStore } from '../../src/integrity/operations.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
import { reorderTask } from '../../src/task/order/operations.ts'
import { FARTHEST_RANK } from '../../src/task/fields.ts'
import { placeAt } from '../../src/task/order/rules.ts'
import { listTasks } from '../../src/task/queue/list.ts'
import { readyTasks } from '../../src/task/queue/operations.ts'
import { createTasks, updateTask } from '../../src/task/operations.ts'
import { completeTask } from '../../src/task/state/operations.ts'
import { type Setup, setup } from '../setup.ts'

async function projectWith(count: number): Promise<Setup> {
  const project = await setup()
  const tasks = Array.from({ length: count }, (_, at) => ({ title: `t${at + 1}`, labels: ['all'] }))
  await execute(project.context, createTasks, { tasks })
  return project
}

async function ready({ context }: Setup, filter: object = {}): Promise<number[]> {
  const { tasks } = await execute(context, readyTasks, { limit: 100, ...filter })
  return tasks.map(({ number }) => number)
}

it('a task is put before or after another, and the queue, its labels and its pages follow [task-order]', async () => {
  await using project = await projectWith(6)
  const { context } = project
  const first = await execute(context, reorderTask, { id: '5', before: '2' })
  expect(first.moved).toBe(1)
  expect(await ready(project)).toEqual([1, 5, 2, 3, 4, 6])
  await execute(context, reorderTask, { id: '1', after: '6' })
  await execute(context, reorderTask, { id: '6', before: '5' })
  expect(await ready(project)).toEqual([6, 5, 2, 3, 4, 1])
  expect(await ready(project, { labels: ['all'] })).toEqual([6, 5, 2, 3, 4, 1])
  const paged: number[] = []
  for (let cursor: string | undefined; paged.length < 6;) {
    const page = await execute(context, listTasks, { limit: 2, ...(cursor && { cursor }) })
    paged.push(...page.tasks.map(({ number }) => number))
    cursor = page.next_cursor
  }
  expect(paged).toEqual([6, 5, 2, 3, 4, 1])
  // An explicit place goes before a date, and a date still orders the rest.
  await execute(context, updateTask, { id: '4', due_date: '2026-12-01' })
  expect(await ready(project)).toEqual([6, 5, 4, 2, 3, 1])
  expect(await execute(context, checkStore, {})).toMatchObject({ ok: true })
})

it('beside a task of another priority it takes on that priority', async () => {
  await using project = await projectWith(3)
  const { context } = project
  await execute(context, updateTask, { id: '3', priority: 'high' })
  const { task } = await execute(context, reorderTask, { id: '2', before: '3' })
  expect(task.priority).toBe(250)
  expect(await ready(project)).toEqual([2, 3, 1])
})

it("the order of a held task is its holder's, and a move beside it leaves it as it is", async () => {
  await using project = await projectWith(4)
  await execute(project.as('ada'), claimTask, { id: '1' })
  await expect(
    execute(project.as('bo'), reorderTask, { id: '1', after: '3' }),
  ).rejects.toMatchObject({ code: 'conflict' })
  const { moved } = await execute(project.as('bo'), reorderTask, { id: '4', before: '2' })
  expect(moved).toBe(0)
  expect(await ready(project)).toEqual([4, 2, 3])
})

it('a closed task, itself or no place at all is refused', async () => {
  await using project = await projectWith(3)
  const { context } = project
  await execute(context, completeTask, { id: '3' })
  for (const input of [{ before: '3' }, { before: '1' }, {}, { before: '2', after: '2' }])
    await expect(execute(context, reorderTask, { id: '1', ...input })).rejects.toMatchObject({
      code: expect.stringMatching(/conflict|invalid_input/),
    })
  await expect(execute(context, reorderTask, { id: '3', before: '1' })).rejects.toMatchObject({
    details: { reason: 'closed' },
  })
})

it('any moves in a list of equal or given ranks give the order that was asked for, and never move more than the shorter side', () => {
  const moves = fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 200 })
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 30 }), moves, (size, asked) => {
      // The last value tells tasks of one rank apart, as due dates and numbers do.
      let list = Array.from({ length: size }, (_, at) => ({ rank: 0, at }))
      for (const [from, to] of asked) {
        const [task] = list.splice(from % size, 1)
        if (task === undefined) continue
        const index = to % size
        const ranks = list.map(({ rank }) => rank)
        const { rank, moved } = placeAt({ ranks, isStart: true, isEnd: true }, index) ?? raise()
        expect(moved.size).toBeLessThanOrEqual(Math.min(index, list.length - index))
        const wanted = list.toSpliced(index, 0, task).map(({ at }) => at)
        list = [
          ...list.map((one, at) => ({ ...one, rank: moved.get(at) ?? one.rank })),
          { ...task, rank },
        ].toSorted((one, other) => one.rank - other.rank || one.at - other.at)
        expect(list.map(({ at }) => at)).toEqual(wanted)
      }
    }),
  )
})

it('between more equal tasks than one move may change there is no place', () => {
  const ranks = Array.from({ length: 402 }, () => 0)
  expect(placeAt({ ranks, isStart: false, isEnd: false }, 201)).toBeUndefined()
  expect(placeAt({ ranks, isStart: true, isEnd: false }, 201)?.moved.size).toBe(201)
})

it('no rank leaves the range that is allowed, whatever another clone has chosen [task-order-range]', () => {
  for (const ranks of [[-FARTHEST_RANK, FARTHEST_RANK], [-FARTHEST_RANK], [FARTHEST_RANK]]) {
    for (let index = 0; index <= ranks.length; index += 1) {
      const { rank, moved } = placeAt({ ranks, isStart: true, isEnd: true }, index) ?? raise()
      const all = ranks.map((before, at) => moved.get(at) ?? before).toSpliced(index, 0, rank)
      expect(all).toEqual([...new Set(all)].toSorted((one, other) => one - other))
      for (const each of all) expect(Math.abs(each)).toBeLessThanOrEqual(FARTHEST_RANK)
    }
  }
})

function raise(): never {
  throw new Error('no place')
}
