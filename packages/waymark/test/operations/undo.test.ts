import { describe, expect, test } from 'vitest'
import {
  createEntity,
  deleteEntity,
  getEntity,
  updateEntity,
} from '../../src/operations/entities.ts'
import { restoreEntity } from '../../src/operations/history.ts'
import { createRelation, deleteRelation } from '../../src/operations/relations.ts'
import { claimTask } from '../../src/operations/task-leases.ts'
import { createTask, getTask } from '../../src/operations/tasks.ts'
import { undoChanges } from '../../src/operations/undo.ts'
import { createReplica, exchange, START, useStore } from '../replica/replicas.ts'

const note = { type: 'note', title: 'a note' } as const
const since = new Date(START).toISOString()
const ofRobot = { author: 'robot', since }

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
    await ada.run(undoChanges, ofRobot)
    const { title, content } = await ada.run(getEntity, { id })
    expect({ title, content }).toEqual({ title: 'good', content: undefined })
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
    expect(await ada.store.relations.of(first, 'from')).toEqual([])

    async function task(title: string): Promise<string> {
      return (await ada.run(createTask, { title })).task.id
    }
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
