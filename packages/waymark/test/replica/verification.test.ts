import { describe, expect, test } from 'vitest'
import { createEntity, updateEntity } from '../../src/operations/entities.ts'
import { createRelation } from '../../src/operations/relations.ts'
import { readyTasks } from '../../src/operations/task-queue.ts'
import { completeTask, reopenTask, verifyTask } from '../../src/operations/task-states.ts'
import { getTask } from '../../src/operations/tasks.ts'
import { undoChanges } from '../../src/operations/undo.ts'
import { createReplica, exchange, START, type TestReplica, useStore } from './replicas.ts'

const needing = { type: 'task', title: 'first', properties: { needs_verification: true } } as const

describe('a verification', () => {
  test.each(['before', 'after'])(
    'does not count for what another clone has done anew %s it',
    async (when) => {
      await using ada = await createReplica('ada')
      await using bob = await createReplica('bob')
      const { id, dependant } = await createDone(ada)
      await exchange(ada, bob)
      ada.tick(when === 'after' ? 1_000 : 10_000)
      await ada.run(verifyTask, { id })
      expect(await readyIds(ada)).toEqual([dependant])
      bob.tick(5_000)
      await bob.run(reopenTask, { id })
      await bob.run(completeTask, { id, reason: 'another way' })
      await exchange(ada, bob)
      expect(await bob.snapshot()).toEqual(await ada.snapshot())
      for (const replica of [ada, bob]) {
        const task = await replica.run(getTask, { id })
        expect(task).toMatchObject({ status: 'done', verified: false, close_reason: 'another way' })
        expect(task).not.toHaveProperty('verified_at')
        expect(task).not.toHaveProperty('verified_by')
        expect(await readyIds(replica)).toEqual([])
      }
      const { changed, newly_ready } = await bob.run(verifyTask, { id })
      expect({ changed, newly_ready }).toMatchObject({
        changed: true,
        newly_ready: [{ id: dependant }],
      })
      await exchange(ada, bob)
      expect(await ada.run(getTask, { id })).toMatchObject({ verified: true, verified_by: 'bob' })
      expect(await readyIds(ada)).toEqual([dependant])
    },
  )

  test('by two clones at once counts', async () => {
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    const { id } = await createDone(ada)
    await exchange(ada, bob)
    await ada.run(verifyTask, { id })
    bob.tick(5_000)
    await bob.run(verifyTask, { id })
    await exchange(ada, bob)
    expect(await ada.run(getTask, { id })).toMatchObject({ verified: true })
    expect(await bob.snapshot()).toEqual(await ada.snapshot())
  })

  test('of a task that another clone has opened again is gone when that one is done', async () => {
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    const { id } = await createDone(ada)
    await exchange(ada, bob)
    await ada.run(verifyTask, { id })
    await bob.run(reopenTask, { id })
    await exchange(ada, bob)
    expect(await ada.run(getTask, { id })).toMatchObject({ status: 'todo', verified: false })
    bob.tick(5_000)
    await bob.run(updateEntity, { id, properties: { status: 'done' } })
    await exchange(ada, bob)
    expect(await ada.run(getTask, { id })).toMatchObject({ status: 'done', verified: false })
    expect(await bob.snapshot()).toEqual(await ada.snapshot())
  })

  test('keeps the completion that it is about when that is undone', async () => {
    await using ada = await createReplica('ada')
    const robot = useStore(ada.store, 'robot')
    const { id } = await ada.run(createEntity, needing)
    ada.tick(1_000)
    robot.tick(2_000)
    await robot.run(completeTask, { id })
    ada.tick(2_000)
    await ada.run(verifyTask, { id })
    const since = new Date(START).toISOString()
    const { entities } = await ada.run(undoChanges, { author: 'robot', since })
    expect(entities).toMatchObject([{ id, outcome: 'kept' }])
    expect(await ada.run(getTask, { id })).toMatchObject({ status: 'done', verified: true })
  })
})

async function createDone(replica: TestReplica): Promise<{ id: string; dependant: string }> {
  const { id } = await replica.run(createEntity, needing)
  const { id: dependant } = await replica.run(createEntity, { type: 'task', title: 'second' })
  await replica.run(createRelation, { source: id, target: dependant, type: 'blocks' })
  await replica.run(completeTask, { id })
  return { id, dependant }
}

async function readyIds(replica: TestReplica): Promise<string[]> {
  const { tasks } = await replica.run(readyTasks, {})
  return tasks.map(({ id }) => id)
}
