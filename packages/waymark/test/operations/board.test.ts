import { expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { createEntity } from '../../src/entity/operations.ts'
import { countEvents, listEvents } from '../../src/event/operations.ts'
import { showGraph } from '../../src/graph/picture/operations.ts'
import { showBoard } from '../../src/task/board/operations.ts'
import { listLanes } from '../../src/task/lane/operations.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
import { createTask } from '../../src/task/operations.ts'
import { completeTask } from '../../src/task/state/operations.ts'
import { setup } from '../setup.ts'
import { toEntityId } from '../../src/entity/entity-id.ts'

it('what pages draw is read alike from every engine [board-engines]', async () => {
  await using project = await setup()
  const ada = project.as('ada')
  const create = (input: object) => execute(ada, createTask, input)
  await create({ title: 'Schema', labels: ['db'] })
  await create({ title: 'Login', depends_on: ['1'] })
  await create({ title: 'Form', parent: '2' })
  await create({ title: 'Docs', defer_until: '2099-01-01' })
  await execute(ada, createEntity, { type: 'note', title: 'x', relations: ['documents:1'] })
  await execute(ada, claimTask, { id: '1' })
  const board = await execute(ada, showBoard, {
    columns: ['number', 'column', 'waits_for', 'parts', 'parent', 'holder'],
  })
  expect(board.rows).toEqual([
    [1, 'in_progress', [], 0, null, 'ada'],
    [2, 'waiting', [1], 1, null, null],
    [3, 'waiting', [], 0, 2, null],
    [4, 'waiting', [], 0, null, null],
  ])
  expect(board.totals).toEqual(board.counts)
  project.tick(1000)
  await execute(ada, completeTask, { id: '1' })
  const after = await execute(ada, showBoard, { columns: ['number', 'column'] })
  // The parts of a task are its work.
  expect(after.rows).toEqual([
    [2, 'waiting'],
    [3, 'ready'],
    [4, 'waiting'],
    [1, 'done'],
  ])
  expect(after.totals).toEqual(after.counts)
  expect((await execute(ada, showBoard, { labels: ['db'], columns: ['number'] })).rows).toEqual([
    [1],
  ])

  const affected = await ada.store.tasks.affected([toEntityId(await idOf(1))], 100)
  expect(affected.toSorted()).toEqual([await idOf(1), await idOf(2), await idOf(3)].toSorted())
  const { events } = await execute(ada, listEvents, { agents: ['ada'], subjects: ['1'] })
  expect(events.map(({ type }) => type)).toEqual([
    'entity.created',
    'relation.created',
    'task.claimed',
    'task.done',
  ])
  const byId = { agents: [events[0]?.agent_id ?? ''], types: ['task.done'] }
  expect((await execute(ada, listEvents, byId)).events).toHaveLength(1)
  const { buckets } = await execute(ada, countEvents, { by: 'type', bucket: 86_400 })
  expect(buckets.find(([, name]) => name === 'task.claimed')?.[2]).toBe(1)
  const lanes = await execute(ada, listLanes, {})
  expect(lanes.spans).toMatchObject([{ task: 1, end: 'done', fence: 1 }])
  const graph = await execute(ada, showGraph, { group_by: 'type' })
  expect(graph.groups).toEqual([
    ['task', 'task', 4],
    ['note', 'note', 1],
  ])
  const tagged = await execute(ada, showGraph, { group_by: 'tag' })
  expect(tagged.groups.map(([key]) => key).toSorted()).toEqual(['', 'db'])

  async function idOf(number: number): Promise<string> {
    return (await ada.store.entities.byNumber(number))?.id ?? ''
  }
})
