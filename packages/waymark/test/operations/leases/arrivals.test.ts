import { describe, expect, it } from 'vitest'
import { agentIdOf } from '../../../src/agent/agent.ts'
import { createContext } from '../../../src/core/context.ts'
import { execute } from '../../../src/core/execute.ts'
import { exportBackup, importBackup } from '../../../src/backup/operations.ts'
import { createEntity, deleteEntity, updateEntity } from '../../../src/entity/operations.ts'
import { listEvents } from '../../../src/event/operations.ts'
import { purgeEntity } from '../../../src/sync/history/operations.ts'
import { createRelation } from '../../../src/relation/operations.ts'
import { claimTask, releaseTask, renewTask } from '../../../src/task/lease/operations.ts'
import { cancelTask, completeTask, reopenTask } from '../../../src/task/state/operations.ts'
import { createTask, getTask, updateTask } from '../../../src/task/operations.ts'
import { createReplica, exchange, type TestReplica } from '../../replica/replicas.ts'
import { createFolder } from '../../store/workspace.ts'
import { toEntityId } from '../../../src/entity/entity-id.ts'

/** Two clones that know the same task; ada holds it in hers. */
async function heldInOne(): Promise<{
  ada: TestReplica
  bob: TestReplica
  id: string
  fence: number
}> {
  const [ada, bob] = [await createReplica('ada'), await createReplica('bob')]
  const { task } = await bob.run(createTask, { title: 'T', content: 'as it was' })
  await exchange(ada, bob)
  const { lease } = await ada.run(claimTask, { id: task.id })
  // Bob knows of the claim, so what he does is later than it.
  await bob.takeIn(await ada.lines())
  return { ada, bob, id: task.id, fence: lease.fence }
}

describe('what sync brings', () => {
  it('leaves the lease alone unless it closes or deletes the task', async () => {
    const { ada, bob, id, fence } = await heldInOne()
    await using _ada = ada
    await using _bob = bob
    const lease = await ada.store.leases.of(toEntityId(id))
    await bob.run(updateTask, { id, title: 'renamed', status: 'blocked', locks: ['src/**'] })
    await ada.takeIn(await bob.lines())
    expect(await ada.run(getTask, { id })).toMatchObject({ title: 'renamed', status: 'blocked' })
    expect(await ada.store.leases.of(toEntityId(id))).toEqual(lease)
    await ada.run(completeTask, { id, fence })
  })

  it.each([
    ['closed', async (bob: TestReplica, id: string) => await bob.run(cancelTask, { id })],
    ['deleted', async (bob: TestReplica, id: string) => await bob.run(deleteEntity, { id })],
    [
      'purged',
      async (bob: TestReplica, id: string) => {
        await bob.run(purgeEntity, { id, confirm: true })
      },
    ],
  ] as const)(
    'ends the lease of a task that was %s elsewhere [arrivals-ends-lease]',
    async (_title, end) => {
      const { ada, bob, id, fence } = await heldInOne()
      await using _ada = ada
      await using _bob = bob
      await end(bob, id)
      await ada.takeIn(await bob.lines())
      expect(await ada.store.leases.of(toEntityId(id))).toMatchObject({
        agentId: null,
        ended: { how: 'sync' },
      })
      const { events } = await ada.run(listEvents, { types: ['lease.ended'] })
      expect(events).toMatchObject([
        { subject: id, data: { holder: agentIdOf('ada'), fence, how: 'sync', merged: true } },
      ])
      const refusal = {
        code: 'lease_lost',
        message: expect.stringContaining('sync closed or deleted it'),
        details: { reason: 'closed_by_sync' },
      }
      await expect(ada.run(completeTask, { id, fence })).rejects.toMatchObject(refusal)
      await expect(ada.run(renewTask, { id, fence })).rejects.toMatchObject(refusal)
      await exchange(ada, bob)
      expect(await ada.snapshot()).toEqual(await bob.snapshot())
    },
  )

  it('refuses the old fence also after the task was reopened', async () => {
    const { ada, bob, id, fence } = await heldInOne()
    await using _ada = ada
    await using _bob = bob
    await bob.run(cancelTask, { id })
    await ada.takeIn(await bob.lines())
    await ada.run(reopenTask, { id })
    await expect(ada.run(completeTask, { id, fence })).rejects.toMatchObject({
      code: 'lease_lost',
    })
    await ada.run(claimTask, { id })
  })
})

describe('a backup that is imported', () => {
  it('leaves a task that another agent holds as it is, says so, and can be imported again', async () => {
    using folder = createFolder()
    const { ada, bob, id } = await heldInOne()
    await using _ada = ada
    await using _bob = bob
    const inFolder = (replica: TestReplica, name: string) =>
      createContext({
        store: replica.store,
        logger: replica.context.logger,
        agent: { name, surface: 'cli' },
        project: { root: folder.path },
        now: () => replica.context.now(),
      })
    await bob.run(updateEntity, { id, title: 'renamed', properties: { status: 'done' } })
    const { id: blocker } = await bob.run(createEntity, { type: 'task', title: 'first' })
    await bob.run(createRelation, { source: blocker, type: 'blocks', target: id })
    await bob.run(createEntity, { type: 'note', title: 'unrelated' })
    await execute(inFolder(bob, 'bob'), exportBackup, { path: 'b.jsonl' })
    const before = await ada.run(getTask, { id })

    const imported = await execute(inFolder(ada, 'cid'), importBackup, { path: 'b.jsonl' })
    expect(imported).toMatchObject({ created: 1, updated: 0 })
    expect(new Set(imported.left_alone)).toEqual(new Set([id, blocker]))
    expect(await ada.run(getTask, { id })).toEqual(before)

    await ada.run(releaseTask, { id })
    const again = await execute(inFolder(ada, 'cid'), importBackup, { path: 'b.jsonl' })
    expect(again).toMatchObject({ created: 1, updated: 1, left_alone: [] })
    expect(await ada.run(getTask, { id })).toMatchObject({ title: 'renamed', status: 'done' })
  })
})
