import { describe, expect, it } from 'vitest'
import type { Context } from '../../../src/core/context.ts'
import { agentIdOf } from '../../../src/agent/agent.ts'
import { execute } from '../../../src/core/execute.ts'
import type { Operation } from '../../../src/core/operation.ts'
import { createEntity, deleteEntity, updateEntity } from '../../../src/entity/operations.ts'
import { batchEntities } from '../../../src/entity/batch.ts'
import { purgeEntity, restoreEntity } from '../../../src/sync/history/operations.ts'
import { createRelation, deleteRelation } from '../../../src/relation/operations.ts'
import { editTasks } from '../../../src/task/state/bulk.ts'
import { claimTask, releaseTask, renewTask } from '../../../src/task/lease/operations.ts'
import { reorderTask } from '../../../src/task/order/operations.ts'
import { reopenTask } from '../../../src/task/state/operations.ts'
import { createTask, getTask, removeTask, updateTask } from '../../../src/task/operations.ts'
import { type Setup, setup } from '../../setup.ts'

interface Held extends Setup {
  readonly ada: Context
  readonly bob: Context
  readonly fence: number
}

/** Task 1 is ada's; task 2 is free, task 3 blocks nothing yet. */
async function heldTask(): Promise<Held> {
  const project = await setup()
  const ada = project.as('ada')
  for (const title of ['held', 'free', 'other']) {
    await execute(project.context, createTask, { title, content: 'as it was', labels: ['x'] })
  }
  const { lease } = await execute(ada, claimTask, { id: '1' })
  return { ...project, ada, bob: project.as('bob'), fence: lease.fence }
}

const HELD = {
  code: 'conflict',
  details: { reason: 'held', claimed_by: agentIdOf('ada') },
}

const FOREIGN_WRITES: readonly (readonly [string, Operation, object])[] = [
  ['entity.update of the status', updateEntity, { id: '1', properties: { status: 'done' } }],
  ['entity.update of the title', updateEntity, { id: '1', title: 'late' }],
  ['entity.update that adds a relation', updateEntity, { id: '1', relations: ['references:2'] }],
  ['entity.delete', deleteEntity, { id: '1' }],
  ['entity.purge', purgeEntity, { id: '1', confirm: true }],
  ['entity.restore', restoreEntity, { id: '1', version: 1 }],
  ['task.update of the status', updateTask, { id: '1', status: 'todo' }],
  ['task.update of the locks', updateTask, { id: '1', locks: ['src/**'] }],
  ['task.update of the blockers', updateTask, { id: '1', add_depends_on: ['2'] }],
  ['task.edit', editTasks, { edits: [{ id: '1', action: 'update', title: 'late' }] }],
  ['task.reorder', reorderTask, { id: '1', after: '3' }],
  ['task.delete', removeTask, { id: '1' }],
  ['task.reopen', reopenTask, { id: '1' }],
  ['task.create of a blocker', createTask, { title: 'new', blocks: ['1'] }],
  ['relation.create of a blocker', createRelation, { source: '2', type: 'blocks', target: '1' }],
  ['relation.create of a parent', createRelation, { source: '1', type: 'subtask_of', target: '2' }],
]

describe('while an agent holds a task', () => {
  it.each(FOREIGN_WRITES)('%s by another agent is refused', async (_title, operation, input) => {
    await using project = await heldTask()
    const before = await execute(project.ada, getTask, { id: '1' })
    await expect(execute(project.bob, operation, input)).rejects.toMatchObject(HELD)
    expect(await execute(project.ada, getTask, { id: '1' })).toEqual(before)
    await execute(project.ada, renewTask, { id: '1', fence: project.fence })
  })

  it('a step of a batch that changes it fails alone', async () => {
    await using project = await heldTask()
    const { results } = await execute(project.bob, batchEntities, {
      operations: [
        { op: 'update', id: '1', properties: { status: 'cancelled' } },
        { op: 'update', id: '2', title: 'changed' },
        { op: 'delete', id: '1' },
      ],
    })
    expect(results).toMatchObject([
      { success: false, error: HELD },
      { success: true },
      { success: false, error: HELD },
    ])
    await execute(project.ada, renewTask, { id: '1' })
  })

  it('its blockers and its own relations cannot be removed by another agent', async () => {
    await using project = await heldTask()
    await execute(project.ada, updateTask, { id: '1', add_depends_on: ['2'], parent: '3' })
    for (const input of [
      { source: '2', type: 'blocks', target: '1' },
      { source: '1', type: 'subtask_of', target: '3' },
    ]) {
      await expect(execute(project.bob, deleteRelation, input)).rejects.toMatchObject(HELD)
    }
  })

  it('others may relate to it: wait for it, be a part of it, describe it', async () => {
    await using project = await heldTask()
    await execute(project.bob, createTask, { title: 'after', depends_on: ['1'], parent: '1' })
    await execute(project.bob, createEntity, {
      type: 'note',
      title: 'about it',
      relations: ['documents:1'],
    })
    await execute(project.ada, renewTask, { id: '1' })
  })

  it('its holder changes it by every operation, without naming the fence', async () => {
    await using project = await heldTask()
    await execute(project.ada, updateEntity, { id: '1', title: 'renamed' })
    await execute(project.ada, updateTask, { id: '1', status: 'blocked', add_depends_on: ['2'] })
    await execute(project.ada, deleteEntity, { id: '1' })
  })

  it('a former holder is refused, with the fence of its own lease and without one', async () => {
    await using project = await heldTask()
    const { ada, bob, fence } = project
    await execute(ada, releaseTask, { id: '1' })
    await execute(bob, claimTask, { id: '1' })
    await expect(
      execute(ada, updateEntity, { id: '1', properties: { status: 'done' } }),
    ).rejects.toMatchObject({ code: 'conflict', details: { claimed_by: agentIdOf('bob') } })
    await expect(
      execute(ada, updateTask, { id: '1', status: 'done', fence }),
    ).rejects.toMatchObject({ code: 'lease_lost' })
    await execute(bob, renewTask, { id: '1' })
  })

  it('anybody changes it once the lease has run out', async () => {
    await using project = await heldTask()
    project.tick(16 * 60_000)
    await execute(project.bob, updateEntity, { id: '1', properties: { status: 'done' } })
  })
})
