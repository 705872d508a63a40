import { describe, expect, it } from 'vitest'
import { loadDialects } from '../../src/dialects/load-dialects.ts'
import { execute } from '../../src/core/execute.ts'
import { createEntity, deleteEntity } from '../../src/entity/operations.ts'
import { listEvents } from '../../src/event/operations.ts'
import { purgeEntity, restoreEntity } from '../../src/sync/history/operations.ts'
import { isDestructive } from '../../src/core/operation.ts'
import { allOperations } from '../../src/registry.ts'
import { createTask, removeTask } from '../../src/task/operations.ts'
import { requiredScopes } from '../../src/core/scopes.ts'
import { connect } from '../dialects/client.ts'
import { setup } from '../setup.ts'

/** Every operation that takes something away, and what stands between that and a mistake. */
const GUARDS = {
  'entity.batch': 'entity.restore brings back what it deleted',
  'entity.delete': 'entity.restore brings it back',
  'entity.purge': 'confirm must be true',
  'history.revert':
    'entity.restore goes back to the version before; dry_run says what that would be',
  'history.undo': 'entity.restore brings back what it deleted; dry_run says what that would be',
  'relation.delete': 'relation.create brings it back, history.undo too',
  'task.delete': 'nothing but a fence, if one is named: it is for good',
  'task.edit': 'the same for its action delete',
  'code.forget': 'the notes ref must have been deleted in Git before',
  'artifact.remove': 'its content stays until artifact.collect, and as long as anything needs it',
}

describe('what takes something away', () => {
  it('takes a deleted task for good, but not by a fence that is no longer the current one', async () => {
    await using project = await setup()
    const { id } = (await execute(project.context, createTask, { title: 'kept' })).task
    const removal = execute(project.context, removeTask, { id, fence: 7 })
    await expect(removal).rejects.toMatchObject({ code: 'lease_lost' })
    await execute(project.context, removeTask, { id })
    const restored = execute(project.context, restoreEntity, { id })
    await expect(restored).rejects.toMatchObject({ details: { reason: 'purged' } })
  })

  it('is known, asks for the scope to write, and is marked as destructive', async () => {
    const deleting = (await allOperations()).filter(isDestructive)
    expect(deleting.map(({ name }) => name).toSorted()).toEqual(Object.keys(GUARDS).toSorted())
    for (const operation of deleting) {
      expect(requiredScopes(operation)).toEqual([expect.stringMatching(/:write$/)])
    }
  })

  it('purges nothing that was not confirmed, whatever else is said [deleting-purges-nothing]', async () => {
    await using project = await setup()
    await using client = await connect('waymark', {
      project,
      server: { dialects: await loadDialects('waymark', { toolsets: 'all' }) },
    })
    await client.call('remember', { type: 'note', title: 'kept', content: 'for good' })
    for (const confirm of [undefined, false, 'true', 1, 'purge', null, {}, []]) {
      const args = { id: '1', ...(confirm !== undefined && { confirm }) }
      const { error } = await client.refusal('entity_purge', args)
      expect(error).toMatchObject({ code: 'invalid_input', details: { field: 'confirm' } })
    }
    expect(await client.call('recall', { id: '1' })).toMatchObject({ content: 'for good' })
    expect(await client.call('entity_purge', { id: '1', confirm: true })).toMatchObject({
      purged: true,
    })
  })

  it('leaves an event, and what was only deleted comes back', async () => {
    await using project = await setup()
    const { context } = project
    const { id } = await execute(context, createEntity, { type: 'note', title: 'kept' })
    await execute(context, deleteEntity, { id })
    expect(await execute(context, restoreEntity, { id })).toMatchObject({ title: 'kept' })
    await execute(context, purgeEntity, { id, confirm: true })
    const { events } = await execute(context, listEvents, { since: 0 })
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['entity.deleted', 'entity.purged']),
    )
  })
})
