import { describe, expect, it } from 'vitest'
import { execute } from '../../../src/core/execute.ts'
import { cancelTask, completeTask, deferTask } from '../../../src/task/state/operations.ts'
import { createTasks } from '../../../src/task/operations.ts'
import { connectMedulla, type Fields, type MedullaClient } from './client.ts'

/** Tasks of the engine, which knows more of them than this dialect can say. */
async function medullaWith(...tasks: readonly Fields[]): Promise<MedullaClient> {
  const medulla = await connectMedulla()
  await execute(medulla.project.context, createTasks, { tasks })
  return medulla
}

function titles(found: unknown): unknown[] {
  return (found as Fields[]).map(({ title }) => title)
}

describe('what the seed has no word for', () => {
  it('a task is completed whatever else is open [differences-task-completed]', async () => {
    await using medulla = await medullaWith(
      { title: 'blocker' },
      { title: 'whole', depends_on: ['1'] },
      { title: 'part', parent: '2' },
    )
    expect(await medulla.call('task_complete', { id: '2' })).toMatchObject({
      properties: { status: 'done' },
    })
  })

  it('a type is a hint wherever an id says which entity is meant', async () => {
    await using medulla = await medullaWith({ title: 'A' }, { title: 'B' })
    const hinted = { id: 1, type: 'note' }
    const properties = { status: 'in_progress' }
    expect(await medulla.call('entity_get', hinted)).toMatchObject({ type: 'task' })
    expect(await medulla.call('entity_update', { ...hinted, properties })).toMatchObject({
      type: 'task',
      properties,
    })
    const operations = [
      { op: 'update', ...hinted, properties: { status: 'done' } },
      { op: 'delete', id: 2, type: 'task' },
    ]
    expect(await medulla.call('entity_batch', { operations })).toMatchObject({ succeeded: 2 })
    expect(await medulla.call('entity_get', hinted)).toMatchObject({
      properties: { status: 'done' },
    })
    expect(await medulla.call('entity_delete', hinted)).toMatchObject({ deleted: true })
  })

  it('a conflict is about the id, or about the relation where one is named [differences-conflict-about]', async () => {
    await using medulla = await medullaWith({ title: 'A' }, { title: 'B', depends_on: ['1'] })
    const { context } = medulla.project
    await execute(context, cancelTask, { id: '1' })
    expect(await medulla.refusal('task_complete', { id: '1' })).toMatchObject({
      code: -32003,
      data: { error_type: 'ValidationFailed', field: 'id' },
    })
    const edge = { source_id: '2', target_id: '1' }
    expect(
      await medulla.refusal('relation_create', { ...edge, relation_type: 'blocks' }),
    ).toMatchObject({ data: { field: 'relation_type' } })
    expect(
      await medulla.refusal('entity_update', { id: '2', relations: ['blocks:1'] }),
    ).toMatchObject({ data: { field: 'relations' } })
    expect(
      await medulla.refusal('relation_delete', { ...edge, relation_type: 'relates_to' }),
    ).toMatchObject({
      code: -32001,
      data: { source_id: expect.stringMatching(/-/), relation_type: 'relates_to' },
    })
  })

  it('blocking is one level only: a part of a blocked task is ready [differences-part-blocked]', async () => {
    await using medulla = await medullaWith(
      { title: 'blocker' },
      { title: 'whole', depends_on: ['1'] },
      { title: 'part', parent: '2' },
    )
    expect(titles((await medulla.call('task_ready'))['tasks'])).toEqual(['blocker', 'part'])
    expect(await medulla.call('task_blocked')).toMatchObject({
      blocked_tasks: [{ title: 'whole', blockers: [{ title: 'blocker' }] }],
      total: 1,
    })
    expect(await medulla.call('task_blocked', { id: '3' })).toMatchObject({
      blockers: [],
      total: 0,
    })
    expect(titles((await medulla.read('medulla://tasks/blocked'))['entities'])).toEqual(['whole'])
    expect(titles((await medulla.read('medulla://tasks/ready'))['entities'])).toEqual([
      'blocker',
      'part',
    ])
  })

  it('a task that is done no longer blocks, verified or not [differences-task-done]', async () => {
    await using medulla = await medullaWith(
      { title: 'unverified', needs_verification: true },
      { title: 'open' },
      { title: 'waits for one', depends_on: ['1'] },
      { title: 'waits for both', depends_on: ['1', '2'] },
    )
    await execute(medulla.project.context, completeTask, { id: '1' })
    expect(titles((await medulla.call('task_ready'))['tasks'])).toEqual(['open', 'waits for one'])
    expect(await medulla.call('task_ready', { limit: 1 })).toMatchObject({ total: 2 })
    expect(await medulla.call('task_blocked')).toMatchObject({
      blocked_tasks: [{ title: 'waits for both', blockers: [{ title: 'open' }] }],
      total: 1,
    })
    expect(await medulla.call('task_blocked', { id: '3' })).toMatchObject({ blockers: [] })
    await medulla.call('task_complete', { id: '2' })
    expect(await medulla.call('task_next')).toMatchObject({ title: 'waits for one' })
    expect(await medulla.call('task_blocked')).toMatchObject({ blocked_tasks: [], total: 0 })
  })

  it('a task that is put off is ready [differences-task-put]', async () => {
    await using medulla = await medullaWith({ title: 'later' })
    await execute(medulla.project.context, deferTask, { id: '1', until: '2027-01-01' })
    expect(titles((await medulla.call('task_ready'))['tasks'])).toEqual(['later'])
    expect(await medulla.call('task_next')).toMatchObject({ title: 'later' })
    expect(await medulla.read('medulla://tasks/ready')).toMatchObject({
      entities: [{ title: 'later' }],
    })
  })

  it('what is shown with a status is found by it [differences-shown-status]', async () => {
    await using medulla = await medullaWith(
      { title: 'given up' },
      { title: 'finished', status: 'done' },
      { title: 'going on', status: 'in_progress' },
    )
    await execute(medulla.project.context, cancelTask, { id: '1' })
    const found = async (status: string) =>
      titles((await medulla.call('entity_list', { status }))['entities'])
    expect(await found('done')).toEqual(['given up', 'finished'])
    const { total } = await medulla.call('entity_list', { status: 'done' })
    for (const query of [
      { type: 'task', status: 'done' },
      { query: 'status:Done' },
      { query: 'type:task status:done status:blocked' },
      { query: 'status:todo', status: 'done' },
      { query: 'given finished going status:done' },
    ]) {
      expect(await medulla.call('search_query', query)).toMatchObject({ total })
    }
    for (const query of [{ status: 'in-progress' }, { query: 'going status:in-progress' }]) {
      expect(await medulla.call('search_query', query)).toMatchObject({ total: 1 })
    }
    expect(await medulla.refusal('search_query', { status: 5 })).toMatchObject({
      message: 'status: must be a string',
    })
    expect(await found('in-progress')).toEqual(['going on'])
    expect(await found('In_Progress')).toEqual(['going on'])
    expect(await medulla.refusal('entity_list', { status: 5 })).toMatchObject({
      message: 'status: must be a string',
      data: { error_type: 'ValidationFailed', field: 'status' },
    })
  })

  it('a property of another type is ignored, whatever its value [differences-property-another]', async () => {
    await using medulla = await medullaWith({ title: 'task' })
    await medulla.call('entity_create', { type: 'note', title: 'note' })
    const properties = { priority: 3, status: 'cancelled', note_type: 'idea' }
    expect(await medulla.call('entity_update', { id: '2', properties })).toMatchObject({
      properties: { note_type: 'idea' },
    })
    for (const property of [{ priority: 3 }, { status: 'cancelled' }]) {
      const [[field, value]] = Object.entries(property) as [[string, unknown]]
      expect(
        await medulla.refusal('entity_update', { id: '1', properties: property }),
      ).toMatchObject({
        code: -32003,
        data: { error_type: 'InvalidEnumValue', field, value, valid: expect.any(Array) },
      })
    }
  })
})

it('a priority that does not exist is told by the name it was given under', async () => {
  await using medulla = await medullaWith({ title: 'task' })
  const priority = 'asap'
  const told = ': must be one of low, normal, high, urgent'
  for (const [tool, args, field] of [
    ['task_ready', { priority }, 'priority'],
    ['entity_update', { id: '1', properties: { priority } }, 'properties.priority'],
  ] as const) {
    expect(await medulla.refusal(tool, args)).toMatchObject({
      message: `${field}${told}`,
      data: { error_type: 'InvalidEnumValue', field: 'priority', value: priority },
    })
  }
})

it('fifty tags are the most that an entity may get, by adding too [differences-fifty-tags]', async () => {
  await using medulla = await medullaWith({ title: 'task' })
  const words = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => `tag-${from + at}`)
  await medulla.call('entity_update', { id: '1', tags: words(0, 30) })
  await medulla.call('entity_update', { id: '1', add_tags: words(10, 50) })
  expect(await medulla.refusal('entity_update', { id: '1', add_tags: ['x'] })).toMatchObject({
    code: -32003,
    data: { field: 'add_tags' },
  })
  await medulla.call('entity_update', { id: '1', add_tags: ['x'], remove_tags: ['tag-0'] })
})
