import { describe, expect, test, vi } from 'vitest'
import { createEntity, deleteEntity, updateEntity } from '../../src/entity/operations.ts'
import { createRelation } from '../../src/relation/operations.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
import { createTask, getTask } from '../../src/task/operations.ts'
import { undoChanges } from '../../src/sync/history/undo.ts'
import { Connection } from '@waymark/sqlite'
import { createReplica, START, type TestReplica, useStore } from '../replica/replicas.ts'

const ofRobot = { author: 'robot', since: new Date(START).toISOString() }

/** What becomes of each entity by its title, which is what a dry run says beforehand. */
async function undo(ada: Pick<TestReplica, 'run'>): Promise<Record<string, string>> {
  const plan = await ada.run(undoChanges, { ...ofRobot, dry_run: true })
  const { entities } = await ada.run(undoChanges, ofRobot)
  expect(entities).toEqual(plan.entities)
  return Object.fromEntries(entities.map(({ title, outcome }) => [title, outcome]))
}

describe('undo does not delete what others build on', () => {
  test('a task that others have made parts of', async () => {
    await using ada = await createReplica('ada')
    const robot = useStore(ada.store, 'robot')
    const { task: epic } = await robot.run(createTask, { title: 'epic' })
    await robot.run(createTask, { title: 'part of the robot', parent: epic.id })
    const { task: part } = await ada.run(createTask, { title: 'part of Ada', parent: epic.id })
    expect(await undo(ada)).toEqual({ epic: 'kept', 'part of the robot': 'deleted' })
    expect(await ada.store.relations.of(epic.id, 'to')).toMatchObject([{ sourceId: part.id }])
  })

  test('a task that is held, though that changed nothing of what it says', async () => {
    await using ada = await createReplica('ada')
    const robot = useStore(ada.store, 'robot')
    const create = async (title: string): Promise<string> => {
      const properties = { status: 'in_progress' }
      return (await robot.run(createEntity, { type: 'task', title, properties })).id
    }
    const [held, own] = [await create('held'), await create('own')]
    await create('free')
    await ada.run(claimTask, { id: held })
    await robot.run(claimTask, { id: own })
    expect(await undo(ada)).toEqual({ held: 'kept', own: 'kept', free: 'deleted' })
    expect(await ada.run(getTask, { id: held })).toMatchObject({ lease: { agent_name: 'ada' } })
  })

  test('a task to which somebody else has added an artifact', async () => {
    await using ada = await createReplica('ada')
    const robot = useStore(ada.store, 'robot')
    for (const creator of ['ada', 'robot']) {
      const { task } = await robot.run(createTask, { title: `with a file by ${creator}` })
      const id = ada.context.newId()
      await ada.store.write(async ({ artifacts }) => {
        const described = { id, hash: '0'.repeat(64), size: 1, mime: 'text/plain', creator }
        const rest = { name: null, tags: [], parentId: null, variationSet: null, createdAt: START }
        await artifacts.insert({ ...described, ...rest })
        await artifacts.link({ artifactId: id, type: 'documents', entityId: task.id }, START)
      })
    }
    expect(await undo(ada)).toEqual({
      'with a file by ada': 'kept',
      'with a file by robot': 'deleted',
    })
  })

  test('a decision that another one names as its successor', async () => {
    await using ada = await createReplica('ada')
    const robot = useStore(ada.store, 'robot')
    const create = async (by: Pick<TestReplica, 'run'>, title: string): Promise<string> =>
      (await by.run(createEntity, { type: 'decision', title })).id
    const [first, second] = [await create(ada, 'first'), await create(ada, 'second')]
    const [named, imposed] = [await create(robot, 'named'), await create(robot, 'imposed')]
    const succeed = (id: string) => ({ status: 'superseded', superseded_by: id })
    await ada.run(updateEntity, { id: first, properties: succeed(named) })
    await robot.run(updateEntity, { id: second, properties: succeed(imposed) })
    expect(await undo(ada)).toEqual({ named: 'kept', imposed: 'deleted', second: 'reverted' })
  })

  test('what its author has deleted under others comes back with their edges', async () => {
    await using ada = await createReplica('ada')
    const robot = useStore(ada.store, 'robot')
    const { task: epic } = await robot.run(createTask, { title: 'epic' })
    const { task: part } = await ada.run(createTask, { title: 'part', parent: epic.id })
    await robot.run(createTask, { title: 'junk' })
    await robot.run(deleteEntity, { id: epic.id })
    expect(await undo(ada)).toEqual({ epic: 'restored', part: 'reverted', junk: 'deleted' })
    expect(await ada.store.relations.of(epic.id, 'to')).toMatchObject([{ sourceId: part.id }])
  })

  test('but an edge that the same author drew keeps nothing', async () => {
    await using ada = await createReplica('ada')
    const robot = useStore(ada.store, 'robot')
    const { task: mine } = await ada.run(createTask, { title: 'mine' })
    const { task: junk } = await robot.run(createTask, { title: 'junk' })
    await robot.run(createRelation, { source: mine.id, type: 'references', target: junk.id })
    expect(await undo(ada)).toEqual({ mine: 'reverted', junk: 'deleted' })
    expect(await ada.store.relations.count()).toBe(0)
  })
})

/** How often a dry run asks what leads to decisions of which each was made with the one before as its successor. */
async function countQuestions(length: number): Promise<number> {
  await using ada = await createReplica('ada')
  const robot = useStore(ada.store, 'robot')
  let { id } = await robot.run(createEntity, { type: 'decision', title: 'last' })
  for (let made = 1; made < length; made += 1) {
    const properties = { status: 'superseded', superseded_by: id }
    ;({ id } = await robot.run(createEntity, { type: 'decision', title: 'older', properties }))
  }
  await ada.run(updateEntity, { id, title: 'first' })
  const spy = vi.spyOn(Connection.prototype, 'all')
  const { entities } = await ada.run(undoChanges, { ...ofRobot, dry_run: true })
  const asked = spy.mock.calls.filter(([sql]) => /target_id = |superseded_by/.test(sql)).length
  spy.mockRestore()
  // All but the one that Ada has changed are needed only because of the next.
  expect(entities.map(({ outcome }) => outcome)).toEqual(Array(length).fill('kept'))
  return asked
}

test('undo asks no more for each link of a long chain that others count on than of a short one', async () => {
  const [short, longer] = [await countQuestions(5), await countQuestions(10)]
  expect(longer).toBeGreaterThan(short)
  expect((await countQuestions(20)) - longer).toBe(2 * (longer - short))
})
