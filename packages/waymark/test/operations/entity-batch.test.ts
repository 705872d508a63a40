import { expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { createEntity, getEntity, listEntities } from '../../src/entity/operations.ts'
import { batchEntities } from '../../src/entity/batch.ts'
import { setup } from '../setup.ts'

it('every step is done in order and reported, whatever became of the others [entity-batch-every-step]', async () => {
  await using project = await setup()
  const { context } = project
  await execute(context, createEntity, { type: 'note', title: 'Old' })
  const done = await execute(context, batchEntities, {
    operations: [
      { op: 'create', type: 'task', title: 'First', properties: { priority: 'high' } },
      { op: 'update', id: '2', title: 'First, renamed', relations: ['references:1'] },
      { op: 'create', type: 'task', title: '' },
      { op: 'delete', id: '99' },
      { op: 'delete', id: '1' },
      { op: 'update', id: '1', title: 'Too late' },
      { op: 'explode' },
      { op: 'create', type: 'note', title: 'Last' },
    ],
  })
  expect(done).toMatchObject({ succeeded: 4, failed: 4 })
  expect(done.results.map(({ success, error }) => (success ? 'ok' : error?.code))).toEqual([
    'ok',
    'ok',
    'invalid_input',
    'not_found',
    'ok',
    'not_found',
    'invalid_input',
    'ok',
  ])
  expect(done.results[2]?.error?.details).toMatchObject({ field: 'title' })
  expect(done.results.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  const { entities } = await execute(context, listEntities, {})
  expect(entities.map(({ id, title }) => [id, title])).toEqual([
    [done.results[0]?.id, 'First, renamed'],
    [done.results[7]?.id, 'Last'],
  ])
})

it('a step may name the type of what it changes, as every step is listed with it', async () => {
  await using project = await setup()
  const { context } = project
  await execute(context, createEntity, { type: 'task', title: 'A' })
  const { id } = await execute(context, createEntity, { type: 'note', title: 'B' })
  const operations = [
    { op: 'update', id: '1', type: 'task', properties: { status: 'done' } },
    { op: 'delete', id: '2', type: 'note' },
    { op: 'delete', id: '1', types: 'note' },
  ]
  expect(await execute(context, batchEntities, { operations })).toMatchObject({
    results: [
      { success: true },
      { success: true, id },
      { success: false, error: { details: { field: 'types', rule: 'unknown_field' } } },
    ],
  })
  expect((await execute(context, listEntities, {})).entities).toMatchObject([
    { type: 'task', properties: { status: 'done' } },
  ])
})

it('a hundred steps keep their order', async () => {
  await using project = await setup()
  const operations = Array.from({ length: 100 }, (_, at) => ({
    op: 'create',
    type: 'note',
    title: `N${at}`,
  }))
  const { results } = await execute(project.context, batchEntities, { operations })
  const { entities } = await execute(project.context, listEntities, { limit: 100 })
  expect(entities.map(({ title }) => title)).toEqual(operations.map(({ title }) => title))
  expect(entities.map(({ id }) => id)).toEqual(results.map(({ id }) => id))
})

it('a batch above the limit is refused whole', async () => {
  await using project = await setup()
  const small = project.as('tester', { maxBatchSize: 2 })
  const operations = Array.from({ length: 3 }, () => ({ op: 'create', type: 'note', title: 'x' }))
  await expect(execute(small, batchEntities, { operations })).rejects.toMatchObject({
    code: 'invalid_input',
    details: { field: 'operations', rule: 'too_many', max: 2 },
  })
  expect((await execute(project.context, listEntities, {})).total).toBe(0)
})

it('a batch that is stopped on the way says which of its steps were done', async () => {
  await using project = await setup()
  const controller = new AbortController()
  const { signal } = controller
  const length = 300
  const context = project.as('tester', { maxBatchSize: length, signal })
  const operations = Array.from({ length }, () => ({ op: 'create', type: 'note', title: 'x' }))
  const stored = async () => (await execute(project.context, listEntities, {})).total
  const working = execute(context, batchEntities, { operations })
  // One transaction takes in only so many steps, so that most are still to come.
  await expect.poll(stored, { interval: 1 }).toBeGreaterThan(0)
  controller.abort(new DOMException('the time is over', 'TimeoutError'))
  const { results, succeeded, failed } = await working
  expect(failed).toBeGreaterThan(0)
  expect(await stored()).toBe(succeeded)
  expect(results.filter(({ error }) => error?.code === 'cancelled')).toHaveLength(failed)
})

it('a batch that is stopped before its first step is refused whole', async () => {
  await using project = await setup()
  const controller = new AbortController()
  const context = project.as('tester', { signal: controller.signal })
  const operations = [{ op: 'create', type: 'note', title: 'x' }]
  const working = execute(context, batchEntities, { operations })
  controller.abort(new DOMException('the time is over', 'TimeoutError'))
  await expect(working).rejects.toMatchObject({ code: 'timeout' })
})

it('a batch sent again with its key repeats nothing', async () => {
  await using project = await setup()
  const call = project.as('tester', { idempotencyKey: 'k1' })
  const input = {
    operations: [
      { op: 'create', type: 'note', title: 'A' },
      { op: 'create', type: 'note', title: 'B' },
    ],
  }
  const first = await execute(call, batchEntities, input)
  expect(await execute(call, batchEntities, input)).toEqual(first)
  expect((await execute(project.context, listEntities, {})).total).toBe(2)
})

it('nothing to do is nothing done', async () => {
  await using project = await setup()
  expect(await execute(project.context, batchEntities, { operations: [] })).toEqual({
    results: [],
    succeeded: 0,
    failed: 0,
  })
})

it.each([{}, { operations: 'x' }, { operations: [5] }])('%j is refused', async (input) => {
  await using project = await setup()
  await expect(execute(project.context, batchEntities, input)).rejects.toMatchObject({
    code: 'invalid_input',
  })
})

it('a step that may not write is refused like a call that may not', async () => {
  await using project = await setup()
  await execute(project.context, createEntity, { type: 'note', title: 'Kept' })
  const reader = project.as('reader', { access: { readOnly: true } })
  await expect(
    execute(reader, batchEntities, { operations: [{ op: 'delete', id: '1' }] }),
  ).rejects.toMatchObject({ code: 'forbidden' })
  expect(await execute(project.context, getEntity, { id: '1' })).toMatchObject({ title: 'Kept' })
})
