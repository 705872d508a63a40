import { describe, expect, test } from 'vitest'
import type { Operation } from '../../src/core/operation.ts'
import { createEntity, deleteEntity, getEntity, updateEntity } from '../../src/entity/operations.ts'
import { restoreEntity } from '../../src/sync/history/operations.ts'
import { createRelation, deleteRelation } from '../../src/relation/operations.ts'
import { claimTask, releaseTask } from '../../src/task/lease/operations.ts'
import { completeTask } from '../../src/task/state/operations.ts'
import { createTask, getTask } from '../../src/task/operations.ts'
import { undoChanges } from '../../src/sync/history/undo.ts'
import { createReplica, exchange, START, useStore } from '../replica/replicas.ts'
import { toEntityId } from '../../src/entity/entity-id.ts'

const note = { type: 'note', title: 'a note' } as const
const since = new Date(START).toISOString()
const ofRobot = { author: 'robot', since }

describe('undo of what an agent did with a claimed task', () => {
  test.each<readonly [string, Operation]>([
    ['release', releaseTask],
    ['completion', completeTask],
  ])('a %s leaves no task in progress without a holder', async (_, end) => {
    await using ada = await createReplica('ada')
    const robot = useStore(ada.store, 'robot')
    const { task } = await ada.run(createTask, { title: 'a task' })
    await robot.run(claimTask, { id: task.id })
    for (const replica of [ada, robot]) replica.tick(1000)
    await robot.run(end, { id: task.id })
    const after = { author: 'robot', since: new Date(START + 1000).toISOString() }
    await ada.run(undoChanges, after)
    expect(await ada.run(getTask, { id: task.id })).toMatchObject({ status: 'todo' })
  })

  test('an earlier version comes back without a status that needs a lease', async () => {
    await using ada = await createReplica('ada')
    const { task } = await ada.run(createTask, { title: 'a task' })
    await ada.run(claimTask, { id: task.id })
    await ada.run(releaseTask, { id: task.id })
    expect(await ada.run(restoreEntity, { id: task.id, version: 2 })).toMatchObject({
      properties: { status: 'todo' },
      warnings: [{ code: 'field_left_out' }],
    })
  })

  test('names a retitled entry by the title that it has afterwards', async () => {
    await using ada = await createReplica('ada')
    const robot = useStore(ada.store, 'robot')
    const { id } = await ada.run(createEntity, note)
    await robot.run(updateEntity, { id, title: 'worse' })
    const { entities } = await ada.run(undoChanges, ofRobot)
    expect(entities).toMatchObject([{ title: 'a note', fields: ['title'] }])
  })
})

describe('undo of what others have gone on with', () => {
  test('leaves what somebody else has made their own, and says so beforehand', async () => {
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    const robot = useStore(ada.store, 'robot')
    const { task } = await robot.run(createTask, { title: 'a task', content: 'what to do' })
    const { id } = await robot.run(createEntity, { ...note, content: 'text' })
    await robot.run(updateEntity, { id, content: 'worse' })
    await ada.run(claimTask, { id: task.id })
    await ada.run(updateEntity, { id, add_tags: ['mine'] })
    const plan = await ada.run(undoChanges, { ...ofRobot, dry_run: true })
    expect(await ada.run(getEntity, { id })).toMatchObject({ content: 'worse' })
    const { entities } = await ada.run(undoChanges, ofRobot)
    expect(entities).toEqual(plan.entities)
    const outcomes = entities.map(({ id, outcome, fields }) => [id, outcome, fields])
    expect(outcomes).toEqual(
      expect.arrayContaining([
        [task.id, 'kept', []],
        [id, 'reverted', ['content']],
      ]),
    )
    expect(await ada.run(getTask, { id: task.id })).toMatchObject({
      content: 'what to do',
      status: 'in_progress',
      priority: task.priority,
    })
    expect(await ada.run(getEntity, { id })).toMatchObject({ content: 'text', tags: ['mine'] })
    await exchange(ada, bob)
    expect(await bob.snapshot()).toEqual(await ada.snapshot())
  })

  test('goes back to what somebody else wrote between two changes', async () => {
    await using ada = await createReplica('ada')
    const robot = useStore(ada.store, 'robot')
    const { id } = await ada.run(createEntity, note)
    await robot.run(updateEntity, { id, title: 'bad', content: 'bad' })
    await ada.run(updateEntity, { id, title: 'good' })
    await robot.run(updateEntity, { id, title: 'bad again', content: 'bad again' })
    const { entities } = await ada.run(undoChanges, ofRobot)
    const { title, content } = await ada.run(getEntity, { id })
    expect({ title, content }).toEqual({ title: 'good', content: undefined })
    // What the first of them did to the title is not taken back.
    const fields = expect.arrayContaining(['title', 'content'])
    expect(entities).toMatchObject([{ outcome: 'reverted', fields, kept: ['title'] }])
  })

  test('draws no relation again that would now close a circle', async () => {
    await using ada = await createReplica('ada')
    const robot = useStore(ada.store, 'robot')
    const [first, second] = [await task('first'), await task('second')]
    const edge = { source: first, target: second, type: 'blocks' }
    await ada.run(createRelation, edge)
    await robot.run(deleteRelation, edge)
    await ada.run(createRelation, { source: second, target: first, type: 'blocks' })
    const plan = await ada.run(undoChanges, { ...ofRobot, dry_run: true })
    const { entities } = await ada.run(undoChanges, ofRobot)
    expect(entities).toEqual(plan.entities)
    expect(entities).toMatchObject([
      { id: first, outcome: 'kept', fields: [], kept: [`relation blocks ${second}`] },
    ])
    expect(await ada.store.relations.of(toEntityId(first), 'from')).toEqual([])

    async function task(title: string): Promise<string> {
      return (await ada.run(createTask, { title })).task.id
    }
  })
})

describe.each(['ascend', 'descend'])('undo where ids %s', (order) => {
  /** Keys and edges as they are now, by the titles of tasks. */
  interface Scene extends AsyncDisposable {
    readonly ada: Actor
    readonly robot: Actor
    readonly create: (by: Actor, title: string, key?: string) => Promise<string>
    /** Takes back what the robot did, and says what it says of each task, and what there is now. */
    undo(): Promise<{
      kept: Record<string, string[]>
      keys: Record<string, unknown>
      edges: number
    }>
  }
  type Actor = ReturnType<typeof useStore>

  async function setScene(): Promise<Scene> {
    const replica = await createReplica('ada')
    let made = 0
    const newId = (): string => {
      made += 1
      const count = order === 'ascend' ? made : 1000 - made
      return `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`
    }
    const [ada, robot] = [
      useStore(replica.store, 'ada', { newId }),
      useStore(replica.store, 'robot', { newId }),
    ]
    const ids: string[] = []
    return {
      ada,
      robot,
      async create(by, title, key) {
        const { task } = await by.run(createTask, { title, ...(key !== undefined && { key }) })
        ids.push(task.id)
        return task.id
      },
      async undo() {
        const plan = await ada.run(undoChanges, { ...ofRobot, dry_run: true })
        const { entities } = await ada.run(undoChanges, ofRobot)
        expect(entities).toEqual(plan.entities)
        const rows = await Promise.all(ids.map((id) => ada.store.entities.byId(toEntityId(id))))
        const live = rows.filter((row) => row !== undefined)
        return {
          kept: Object.fromEntries(entities.map(({ title, kept }) => [title, kept])),
          keys: Object.fromEntries(live.map(({ title, properties }) => [title, properties['key']])),
          edges: await ada.store.relations.count(),
        }
      },
      [Symbol.asyncDispose]: () => replica[Symbol.asyncDispose](),
    }
  }

  test('gives a key back that a task of the same author has had since', async () => {
    await using scene = await setScene()
    const { ada, robot, create } = scene
    const first = await create(ada, 'first', 'T1')
    await robot.run(deleteEntity, { id: first })
    await create(robot, 'second', 'T1')
    const [kept, keys] = [{ first: [], second: [] }, { first: 'T1' }]
    expect(await scene.undo()).toEqual({ kept, keys, edges: 0 })
  })

  test('gives exchanged keys back', async () => {
    await using scene = await setScene()
    const { ada, create } = scene
    const first = await create(ada, 'first', 'T1')
    const second = await create(ada, 'second', 'T2')
    for (const [id, key] of [
      [first, 'T3'],
      [second, 'T1'],
      [first, 'T2'],
    ] as const) {
      await scene.robot.run(updateEntity, { id, properties: { key } })
    }
    expect(await scene.undo()).toMatchObject({
      kept: { first: [], second: [] },
      keys: { first: 'T1', second: 'T2' },
    })
  })

  test('leaves a key that cannot go back where it is, and with it those that wait for it', async () => {
    await using scene = await setScene()
    const { ada, robot, create } = scene
    const first = await create(ada, 'first', 'T1')
    const second = await create(ada, 'second', 'T2')
    await robot.run(updateEntity, { id: second, properties: { key: 'T3' } })
    await robot.run(updateEntity, { id: first, title: 'worse', properties: { key: 'T2' } })
    await create(ada, 'another', 'T1')
    expect(await scene.undo()).toMatchObject({
      kept: { first: ['properties.key'], second: ['properties.key'] },
      keys: { first: 'T2', second: 'T3', another: 'T1' },
    })
  })

  test('turns an edge round again', async () => {
    await using scene = await setScene()
    const { ada, robot, create } = scene
    const [first, second] = [await create(ada, 'first'), await create(ada, 'second')]
    const edge = { source: first, target: second, type: 'blocks' }
    await ada.run(createRelation, edge)
    await robot.run(deleteRelation, edge)
    await robot.run(createRelation, { source: second, target: first, type: 'blocks' })
    expect(await scene.undo()).toMatchObject({ kept: { first: [], second: [] }, edges: 1 })
    expect(await ada.store.relations.of(toEntityId(first), 'from')).toMatchObject([
      { targetId: second },
    ])
  })

  test('brings the edge between two deleted tasks back', async () => {
    await using scene = await setScene()
    const { ada, robot, create } = scene
    const [first, second] = [await create(ada, 'first'), await create(ada, 'second')]
    await ada.run(createRelation, { source: first, target: second, type: 'blocks' })
    await robot.run(deleteEntity, { id: first })
    robot.tick(1000)
    await robot.run(deleteEntity, { id: second })
    expect(await scene.undo()).toMatchObject({ kept: { first: [], second: [] }, edges: 1 })
  })

  test('says which edge stays away, because what it led to was deleted by another', async () => {
    await using scene = await setScene()
    const { ada, robot, create } = scene
    const [first, second] = [await create(ada, 'first'), await create(ada, 'second')]
    await ada.run(createRelation, { source: first, target: second, type: 'blocks' })
    await robot.run(deleteEntity, { id: first })
    await ada.run(deleteEntity, { id: second })
    expect(await scene.undo()).toMatchObject({
      kept: { first: [`relation blocks ${second}`] },
      keys: { first: undefined },
      edges: 0,
    })
  })
})

describe('restore of what others have gone on without', () => {
  test('leaves out a relation that would close a circle, and a key that another task has', async () => {
    await using ada = await createReplica('ada')
    const create = async (title: string, key: string): Promise<string> =>
      (await ada.run(createTask, { title, key })).task.id
    const [first, second, third] = [
      await create('first', 'T1'),
      await create('second', 'T2'),
      await create('third', 'T3'),
    ]
    await ada.run(createRelation, { source: first, target: second, type: 'blocks' })
    await ada.run(createRelation, { source: third, target: first, type: 'blocks' })
    await ada.run(deleteEntity, { id: first })
    await ada.run(createRelation, { source: second, target: third, type: 'blocks' })
    const other = await create('another', 'T1')
    const restored = await ada.run(restoreEntity, { id: first })
    expect(restored.properties).not.toHaveProperty('key')
    expect(restored.warnings?.map(({ code }) => code)).toEqual(['relation_left_out', 'key_taken'])
    expect(await ada.run(getTask, { id: 'T1' })).toMatchObject({ id: other })
    expect(await ada.store.relations.count()).toBe(2)
    // Nor does an earlier version bring the key along.
    const earlier = await ada.run(restoreEntity, { id: first, version: 1 })
    expect(earlier.properties).not.toHaveProperty('key')
    expect(earlier.warnings).toMatchObject([{ code: 'key_taken' }])
  })

  test('warns of no key but the one that the version had', async () => {
    await using ada = await createReplica('ada')
    const { task } = await ada.run(createTask, { title: 'first', key: 'T1' })
    await ada.run(updateEntity, { id: task.id, properties: { key: 'T2' } })
    await ada.run(deleteEntity, { id: task.id })
    await ada.run(createTask, { title: 'another', key: 'T2' })
    const restored = await ada.run(restoreEntity, { id: task.id, version: 1 })
    expect(restored.properties).toMatchObject({ key: 'T1' })
    expect(restored).not.toHaveProperty('warnings')
  })

  test('leaves a task its present key where another one has the old', async () => {
    await using ada = await createReplica('ada')
    const { task } = await ada.run(createTask, { title: 'first', key: 'T1' })
    await ada.run(updateEntity, { id: task.id, title: 'renamed', properties: { key: 'T2' } })
    await ada.run(createTask, { title: 'another', key: 'T1' })
    const restored = await ada.run(restoreEntity, { id: task.id, version: 1 })
    expect(restored).toMatchObject({ title: 'first', properties: { key: 'T2' } })
    expect(restored.warnings).toMatchObject([{ code: 'key_taken' }])
  })
})

test('a key names one task, whichever operation gives it', async () => {
  await using ada = await createReplica('ada')
  const task = { type: 'task', title: 'a task', properties: { key: 'T1' } } as const
  const { id } = await ada.run(createEntity, task)
  const taken = { code: 'conflict', details: { reason: 'key_taken', field: 'properties.key', id } }
  await expect(ada.run(createEntity, task)).rejects.toMatchObject(taken)
  const other = await ada.run(createEntity, { ...task, properties: { key: 'T2' } })
  const rename = { id: other.id, properties: { key: 'T1' } }
  await expect(ada.run(updateEntity, rename)).rejects.toMatchObject(taken)
  await ada.run(updateEntity, { id, title: 'renamed', properties: { key: 'T1' } })
})
