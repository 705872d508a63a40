import { describe, expect, test } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { change } from '../../src/core/change.ts'
import { createEntity, getEntity, updateEntity } from '../../src/entity/operations.ts'
import { findTask } from '../../src/task/find-task.ts'
import { updateTaskRow } from '../../src/task/write/update-task-row.ts'
import { createRelation } from '../../src/relation/operations.ts'
import { checkStore } from '../../src/integrity/operations.ts'
import { importTasks } from '../../src/task/import/operations.ts'
import { readyTasks } from '../../src/task/queue/operations.ts'
import { completeTask, reopenTask, verifyTask } from '../../src/task/state/operations.ts'
import { getTask } from '../../src/task/operations.ts'
import { undoChanges } from '../../src/sync/history/undo.ts'
import { projectWith, write } from '../operations/import-project.ts'
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

  test('that a clone adds which does not know what the last one was about counts', async () => {
    await using ada = await createReplica('ada')
    await using bob = await createReplica('bob')
    const { id, dependant } = await createDone(ada)
    await ada.run(verifyTask, { id })
    const { properties } = await ada.run(getEntity, { id })
    ada.tick(5_000)
    await ada.run(reopenTask, { id })
    await ada.run(completeTask, { id })
    ada.tick(5_000)
    // What is left in the document by a clone that neither reads nor clears this field.
    const fields = {
      verified_at: new Date(START + 10_000).toISOString(),
      verified_completion: properties['verified_completion'],
    }
    await change(ada.context, async (change) => {
      await updateTaskRow(change, await findTask(change, id), fields, { type: 'task.verified' })
    })
    await exchange(ada, bob)
    expect(await bob.run(getTask, { id })).toMatchObject({ status: 'done', verified: true })
    expect(await readyIds(bob)).toEqual([dependant])
    expect(await bob.snapshot()).toEqual(await ada.snapshot())
  })

  test('that is taken over with what was done anew counts in every clone', async () => {
    const spec = (end: object) =>
      JSON.stringify({ tasks: { T1: { title: 'First', created_at: at(1), ...end } } })
    await using project = await projectWith({
      '.lodestar/spec.yaml': spec({ status: 'done', completed_at: at(2) }),
    })
    const { context } = project
    await using bob = await createReplica('bob')
    const takeOver = async () => await execute(context, importTasks, { format: 'lodestar' })
    await takeOver()
    await execute(context, verifyTask, { id: 'T1' })
    // Verified at the same time, as a file can say that was written here.
    const { verified_at } = await execute(context, getTask, { id: 'T1' })
    for (const time of [verified_at, at(4)]) {
      const end = { status: 'verified', completed_at: at(3), verified_at: time }
      write(project, '.lodestar/spec.yaml', spec(end))
      await takeOver()
      await bob.takeIn(await useStore(context.store, 'ada').lines())
      const task = { completed_at: at(3), verified: true, verified_at: time }
      expect(await bob.run(getTask, { id: 'T1' })).toMatchObject(task)
      expect(await execute(context, getTask, { id: 'T1' })).toMatchObject(task)
      expect(await execute(context, checkStore, {})).toMatchObject({ ok: true })
    }
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

function at(day: number): string {
  return `2026-11-0${day}T12:00:00.000Z`
}

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
