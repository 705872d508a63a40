import { expect, test } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { createEntity, deleteEntity, getEntity, updateEntity } from '../../src/entity/operations.ts'
import { createRelation, deleteRelation } from '../../src/relation/operations.ts'
import { showHistory } from '../../src/sync/history/operations.ts'
import { revertChange } from '../../src/sync/history/revert.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
import { createTask, updateTask } from '../../src/task/operations.ts'
import { setup } from '../setup.ts'

test('one change is taken back, and what came after it stays [history-revert]', async () => {
  await using project = await setup()
  const { context } = project
  await execute(context, createEntity, { type: 'note', title: 'Cache', content: 'one' })
  await execute(project.as('ada'), updateEntity, { id: '1', content: 'two', add_tags: ['x'] })
  await execute(context, updateEntity, { id: '1', title: 'Caches' })
  const events = await context.store.events.latest()
  const plan = await execute(context, revertChange, { id: '1', version: 2, dry_run: true })
  expect(plan).toMatchObject({
    dry_run: true,
    outcome: 'reverted',
    kept: [],
    changes: expect.arrayContaining([
      { field: 'content', from: 'two', to: 'one' },
      expect.objectContaining({ field: 'tags', to: [] }),
    ]),
  })
  expect(await context.store.events.latest()).toBe(events)
  const { dry_run, ...outcome } = await execute(context, revertChange, { id: '1', version: 2 })
  expect({ ...outcome, dry_run: true }).toEqual(plan)
  expect(dry_run).toBe(false)
  expect(await execute(context, getEntity, { id: '1' })).toMatchObject({
    title: 'Caches',
    content: 'one',
    tags: [],
  })
})

test('what was changed further is kept and named', async () => {
  await using project = await setup()
  const { context } = project
  await execute(context, createTask, { title: 'Parser', priority: 'low' })
  await execute(context, updateTask, { id: '1', title: 'Lexer', priority: 'high' })
  await execute(context, updateTask, { id: '1', title: 'Scanner' })
  expect(await execute(context, revertChange, { id: '1', version: 2 })).toMatchObject({
    outcome: 'reverted',
    fields: ['properties.priority'],
    kept: ['title'],
  })
  expect(await execute(context, revertChange, { id: '1', version: 2 })).toMatchObject({
    outcome: 'kept',
    fields: [],
  })
  expect(await execute(context, getEntity, { id: '1' })).toMatchObject({
    title: 'Scanner',
    properties: { priority: 750 },
  })
})

test('a deletion, a link and its removal are taken back', async () => {
  await using project = await setup()
  const { context } = project
  for (const title of ['A', 'B']) await execute(context, createEntity, { type: 'note', title })
  const link = { source: '1', target: '2', type: 'references' }
  const last = async () => (await execute(context, showHistory, { id: '1' })).total
  await execute(context, createRelation, link)
  await execute(context, revertChange, { id: '1', version: await last() })
  const after = await execute(context, showHistory, { id: '1' })
  expect(after.changes[0]?.changes).toMatchObject([{ target: { number: 2 }, from: true }])
  await execute(context, revertChange, { id: '1', version: after.total })
  await execute(context, deleteRelation, link)
  await execute(context, deleteEntity, { id: '1' })
  const deleted = await last()
  expect(await execute(context, revertChange, { id: '1', version: deleted })).toMatchObject({
    outcome: 'restored',
  })
  expect(await execute(context, getEntity, { id: '1' })).toMatchObject({ title: 'A' })
})

test('the first version, a version that is not there and a task of another agent are refused', async () => {
  await using project = await setup()
  const { context } = project
  await execute(context, createTask, { title: 'Parser' })
  await execute(context, updateTask, { id: '1', title: 'Lexer' })
  const revert = (version: number) => execute(context, revertChange, { id: '1', version })
  await expect(revert(1)).rejects.toMatchObject({ message: expect.stringContaining('delete 1') })
  await expect(revert(9)).rejects.toMatchObject({ code: 'invalid_input' })
  await execute(project.as('ada'), claimTask, { id: '1' })
  expect(await revert(2)).toMatchObject({ outcome: 'kept', kept: ['title'] })
})
