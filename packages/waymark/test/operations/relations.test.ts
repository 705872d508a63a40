import { describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { createEntity } from '../../src/entity/operations.ts'
import { createRelation, deleteRelation, listRelations } from '../../src/relation/operations.ts'
import { setup } from '../setup.ts'

async function projectWithTasks(count: number) {
  const project = await setup()
  for (let at = 1; at <= count; at += 1) {
    await execute(project.context, createEntity, { type: 'task', title: `T${at}` })
  }
  return project
}

describe('relations', () => {
  it('a relation is seen from both ends', async () => {
    await using project = await projectWithTasks(2)
    const { context } = project
    const made = await execute(context, createRelation, {
      source: '1',
      target: '2',
      type: 'blocks',
    })
    expect(made).toMatchObject({
      type: 'blocks',
      source: { number: 1 },
      target: { number: 2 },
      created: true,
    })
    expect(await execute(context, listRelations, { id: '1' })).toMatchObject({
      outgoing: [{ type: 'blocks', target: { number: 2, title: 'T2' }, created_by: 'tester' }],
      incoming: [],
    })
    expect(await execute(context, listRelations, { id: '2' })).toMatchObject({
      outgoing: [],
      incoming: [{ type: 'blocks', source: { number: 1 } }],
    })
    expect(await execute(context, listRelations, { id: '2', direction: 'from' })).toMatchObject({
      outgoing: [],
      incoming: [],
    })
  })

  it('adding one twice changes nothing and says so', async () => {
    await using project = await projectWithTasks(2)
    const relation = { source: '1', target: '2', type: 'references' }
    await execute(project.context, createRelation, relation)
    const events = await project.context.store.events.latest()
    expect(await execute(project.context, createRelation, relation)).toMatchObject({
      created: false,
    })
    expect(await project.context.store.events.latest()).toBe(events)
  })

  it('one that was removed can be added again', async () => {
    await using project = await projectWithTasks(2)
    const relation = { source: '1', target: '2', type: 'Belongs-To' }
    await execute(project.context, createRelation, relation)
    expect(await execute(project.context, deleteRelation, relation)).toMatchObject({
      type: 'belongs_to',
      deleted: true,
    })
    await expect(execute(project.context, deleteRelation, relation)).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(await execute(project.context, createRelation, relation)).toMatchObject({
      created: true,
    })
  })

  it('names of one’s own are kept', async () => {
    await using project = await projectWithTasks(2)
    const made = await execute(project.context, createRelation, {
      source: '1',
      target: '2',
      type: 'inspired_by',
    })
    expect(made).toMatchObject({ type: 'inspired_by' })
  })

  it.each([
    [
      { source: '1', target: '9', type: 'blocks' },
      { code: 'not_found', details: { field: 'target' } },
    ],
    [
      { source: '9', target: '1', type: 'blocks' },
      { code: 'not_found', details: { field: 'source' } },
    ],
    [
      { source: '1', target: '1', type: 'blocks' },
      { code: 'invalid_input', details: { rule: 'self_reference' } },
    ],
    [
      { source: '1', target: '2', type: 'a b' },
      { code: 'invalid_input', details: { field: 'type' } },
    ],
    [
      { source: '1', target: '2' },
      { code: 'invalid_input', details: { field: 'type', rule: 'required' } },
    ],
  ])('%o is refused', async (input, failure) => {
    await using project = await projectWithTasks(2)
    const events = await project.context.store.events.latest()
    await expect(execute(project.context, createRelation, input)).rejects.toMatchObject(failure)
    expect(await project.context.store.events.latest()).toBe(events)
  })

  it.each(['blocks', 'subtask_of'])('a circle of %s is refused and shown', async (type) => {
    await using project = await projectWithTasks(3)
    const { context } = project
    await execute(context, createRelation, { source: '1', target: '2', type })
    await execute(context, createRelation, { source: '2', target: '3', type })
    const closing = execute(context, createRelation, { source: '3', target: '1', type })
    await expect(closing).rejects.toMatchObject({ code: 'conflict', details: { reason: 'cycle' } })
    await expect(closing).rejects.toThrow('#3 → #1 → #2 → #3')
  })

  it('a circle of references is fine', async () => {
    await using project = await projectWithTasks(2)
    await execute(project.context, createRelation, { source: '1', target: '2', type: 'references' })
    expect(
      await execute(project.context, createRelation, {
        source: '2',
        target: '1',
        type: 'references',
      }),
    ).toMatchObject({ created: true })
  })
})
