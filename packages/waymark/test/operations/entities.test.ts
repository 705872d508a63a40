import { describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import {
  createEntity,
  deleteEntity,
  getEntity,
  listEntities,
  updateEntity,
} from '../../src/entity/operations.ts'
import { listRelations } from '../../src/relation/operations.ts'
import { setup } from '../setup.ts'
import { BEFORE_ALL } from '../../src/event/event-id.ts'

describe('creating', () => {
  it('an entity comes back whole, with a number, times and its author', async () => {
    await using project = await setup()
    const made = await execute(project.context, createEntity, {
      type: 'decision',
      title: '  Use SQLite  ',
      content: '## Why\nIt is a file.',
      tags: ['storage', 'database', 'storage'],
      properties: { status: 'accepted', context: 'We need a store' },
    })
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      number: 1,
      type: 'decision',
      title: 'Use SQLite',
      content: '## Why\nIt is a file.',
      tags: ['storage', 'database'],
      properties: { status: 'accepted', context: 'We need a store', consequences: [] },
      created_at: '2026-11-15T12:00:00.000Z',
      updated_at: '2026-11-15T12:00:00.000Z',
      created_by: 'tester',
    })
    expect(await execute(project.context, getEntity, { id: '1' })).toMatchObject(made)
  })

  it('relations are made in the same step, or nothing is', async () => {
    await using project = await setup()
    const decision = await execute(project.context, createEntity, {
      type: 'decision',
      title: 'Use SQLite',
    })
    const input = { type: 'task', title: 'Add it', relations: ['implements:1', 'references:99'] }
    await expect(execute(project.context, createEntity, input)).rejects.toMatchObject({
      code: 'not_found',
      details: { field: 'relations.1', id: '99' },
    })
    expect((await execute(project.context, listEntities, {})).total).toBe(1)
    const task = await execute(project.context, createEntity, {
      ...input,
      relations: ['implements:1'],
    })
    const { outgoing } = await execute(project.context, listRelations, { id: String(task.number) })
    expect(outgoing).toMatchObject([{ type: 'implements', target: { id: decision.id } }])
  })

  it('each change is one event, in order and without gaps', async () => {
    await using project = await setup()
    const { context } = project
    const first = await execute(context, createEntity, { type: 'task', title: 'A' })
    const second = await execute(context, createEntity, {
      type: 'task',
      title: 'B',
      relations: ['blocks:1'],
    })
    await execute(context, updateEntity, { id: '1', title: 'A2' })
    await execute(context, deleteEntity, { id: '1' })
    const events = await context.store.events.after(BEFORE_ALL, { limit: 100 })
    expect(events.map(({ id, type, subject, agent }) => [id, type, subject, agent])).toEqual([
      [1, 'entity.created', first.id, 'tester'],
      [2, 'entity.created', second.id, 'tester'],
      [3, 'relation.created', second.id, 'tester'],
      [4, 'entity.updated', first.id, 'tester'],
      [5, 'relation.deleted', second.id, 'tester'],
      [6, 'entity.deleted', first.id, 'tester'],
    ])
  })

  it('a clock that jumps back never makes a later change look earlier', async () => {
    await using project = await setup()
    const first = await execute(project.context, createEntity, { type: 'note', title: 'A' })
    project.tick(-3_600_000)
    const second = await execute(project.context, createEntity, { type: 'note', title: 'B' })
    expect(second.created_at >= first.created_at).toBe(true)
  })
})

describe('finding', () => {
  const ID = '0a1b2c3d-4e5f-4a6b-8c7d-8e9f0a1b2c3d'
  const NEIGHBOUR = '0a1b2c3d-5000-4000-8000-000000000000'

  async function projectWithNeighbours() {
    const project = await setup()
    const ids = [ID, NEIGHBOUR]
    const context = project.as('tester', { newId: () => ids.shift() ?? crypto.randomUUID() })
    await execute(context, createEntity, { type: 'note', title: 'First' })
    await execute(context, createEntity, { type: 'note', title: 'Second' })
    return project
  }

  it.each(['1', '001', '#1', ID, ID.toUpperCase(), '0a1b2c3d-4e', '0A1B2C3D4E5F'])(
    '%s names the first entity',
    async (id) => {
      await using project = await projectWithNeighbours()
      expect(await execute(project.context, getEntity, { id })).toMatchObject({ title: 'First' })
    },
  )

  it('a prefix that fits several entities is an error that lists them', async () => {
    await using project = await projectWithNeighbours()
    const asked = execute(project.context, getEntity, { id: '0a1b2c3d' })
    await expect(asked).rejects.toMatchObject({
      code: 'ambiguous_id',
      details: {
        candidates: [
          { id: ID, number: 1, title: 'First' },
          { id: NEIGHBOUR, number: 2, title: 'Second' },
        ],
      },
    })
    await expect(asked).rejects.toThrow('could be #1, #2;')
  })

  it.each(['abc', 'xyz1', '', '-1', '0a1b2c3d-4e5f-4a6b-8c7d-8e9f0a1b2c3d0'])(
    '%j is not the form of an id',
    async (id) => {
      await using project = await projectWithNeighbours()
      await expect(execute(project.context, getEntity, { id })).rejects.toMatchObject({
        code: 'invalid_input',
        details: { field: 'id', rule: 'bad_format' },
      })
    },
  )

  it.each(['99', 'ffff'])('%s is not found', async (id) => {
    await using project = await projectWithNeighbours()
    await expect(execute(project.context, getEntity, { id })).rejects.toMatchObject({
      code: 'not_found',
      details: { id },
    })
  })
})

describe('listing', () => {
  it('filters by type, status and tag, and pages through the rest', async () => {
    await using project = await setup()
    const { context } = project
    for (const at of [1, 2, 3]) {
      await execute(context, createEntity, {
        type: 'decision',
        title: `D${at}`,
        tags: at === 2 ? ['db'] : [],
        properties: { status: at === 3 ? 'accepted' : 'proposed' },
      })
    }
    await execute(context, createEntity, { type: 'note', title: 'N', tags: ['db'] })
    const titles = async (filter: object) => {
      const { entities, total } = await execute(context, listEntities, filter)
      return [entities.map(({ title }) => title), total]
    }
    expect(await titles({})).toEqual([['D1', 'D2', 'D3', 'N'], 4])
    expect(await titles({ type: 'decisions' })).toEqual([['D1', 'D2', 'D3'], 3])
    expect(await titles({ tag: 'db' })).toEqual([['D2', 'N'], 2])
    expect(await titles({ statuses: ['Accepted '] })).toEqual([['D3'], 1])
    expect(await titles({ statuses: ['accepted', 'proposed'], tag: 'db' })).toEqual([['D2'], 1])
    expect(await titles({ except_statuses: ['Proposed'] })).toEqual([['D3', 'N'], 2])
    expect(await titles({ type: 'decision', tag: 'db', statuses: ['accepted'] })).toEqual([[], 0])
    expect(await titles({ limit: 2, offset: 1 })).toEqual([['D2', 'D3'], 4])
  })

  it.each([{ limit: 0 }, { limit: 101 }, { offset: -1 }, { limit: 1.5 }, { limit: '5' }])(
    '%o is refused',
    async (filter) => {
      await using project = await setup()
      await expect(execute(project.context, listEntities, filter)).rejects.toMatchObject({
        code: 'invalid_input',
        details: { field: Object.keys(filter)[0] },
      })
    },
  )
})

describe('updating', () => {
  it('changes what is named and keeps the rest', async () => {
    await using project = await setup()
    const made = await execute(project.context, createEntity, {
      type: 'task',
      title: 'Write',
      content: 'text',
      tags: ['a', 'b'],
      properties: { priority: 'high', due_date: '2026-12-01', assignee: 'kim' },
    })
    project.tick(1_000)
    const changed = await execute(project.context, updateEntity, {
      id: '1',
      title: 'Write more',
      add_tags: ['c', 'a'],
      remove_tags: ['b'],
      properties: { status: 'done', assignee: null },
    })
    expect(changed).toEqual({
      ...made,
      title: 'Write more',
      tags: ['a', 'c'],
      properties: { status: 'done', priority: 250, due_date: '2026-12-01' },
      updated_at: '2026-11-15T12:00:01.000Z',
    })
  })

  it('an update that names nothing is refused', async () => {
    await using project = await setup()
    await execute(project.context, createEntity, { type: 'note', title: 'x' })
    await expect(execute(project.context, updateEntity, { id: '1' })).rejects.toMatchObject({
      code: 'invalid_input',
    })
  })

  it('superseded_by is kept as the id of a decision that exists', async () => {
    await using project = await setup()
    const { context } = project
    await execute(context, createEntity, { type: 'decision', title: 'Old' })
    const next = await execute(context, createEntity, { type: 'decision', title: 'New' })
    const change = (superseded_by: string) =>
      execute(context, updateEntity, {
        id: '1',
        properties: { status: 'superseded', superseded_by },
      })
    await expect(change('77')).rejects.toMatchObject({
      code: 'not_found',
      details: { field: 'properties.superseded_by' },
    })
    expect((await change('2')).properties).toMatchObject({
      status: 'superseded',
      superseded_by: next.id,
    })
  })

  it('two agents changing different fields at once lose nothing', async () => {
    await using project = await setup()
    await execute(project.context, createEntity, { type: 'task', title: 'Shared' })
    await Promise.all([
      execute(project.as('ann'), updateEntity, { id: '1', properties: { priority: 'urgent' } }),
      execute(project.as('bob'), updateEntity, { id: '1', properties: { assignee: 'bob' } }),
      execute(project.as('cam'), updateEntity, { id: '1', add_tags: ['seen'] }),
    ])
    expect(await execute(project.context, getEntity, { id: '1' })).toMatchObject({
      tags: ['seen'],
      properties: { priority: 0, assignee: 'bob' },
    })
  })
})

describe('deleting', () => {
  it('removes the entity and its relations, and its number is never given again', async () => {
    await using project = await setup()
    const { context } = project
    await execute(context, createEntity, { type: 'decision', title: 'D' })
    await execute(context, createEntity, { type: 'task', title: 'T', relations: ['implements:1'] })
    expect(await execute(context, deleteEntity, { id: '1' })).toMatchObject({
      number: 1,
      deleted: true,
      relations_removed: 1,
    })
    await expect(execute(context, getEntity, { id: '1' })).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(execute(context, deleteEntity, { id: '1' })).rejects.toMatchObject({
      code: 'not_found',
    })
    expect((await execute(context, listRelations, { id: '2' })).outgoing).toEqual([])
    expect(await execute(context, createEntity, { type: 'note', title: 'N' })).toMatchObject({
      number: 3,
    })
  })
})

describe('who may', () => {
  it('a read-only context reads but changes nothing', async () => {
    await using project = await setup()
    const reader = project.as('reader', { access: { readOnly: true } })
    await expect(execute(reader, createEntity, { type: 'note', title: 'x' })).rejects.toMatchObject(
      { code: 'forbidden' },
    )
    expect(await execute(reader, listEntities, {})).toMatchObject({ total: 0 })
  })

  it('a scope that is missing is named', async () => {
    await using project = await setup()
    const limited = project.as('limited', {
      access: { readOnly: false, scopes: new Set(['entities:read']) },
    })
    expect(await execute(limited, listEntities, {})).toMatchObject({ total: 0 })
    await expect(
      execute(limited, createEntity, { type: 'note', title: 'x' }),
    ).rejects.toMatchObject({
      code: 'forbidden',
      details: { reason: 'insufficient_scope', scopes: ['entities:write'] },
    })
  })

  it('a call that was cancelled before it began writes nothing', async () => {
    await using project = await setup()
    const gone = project.as('gone', { signal: AbortSignal.abort() })
    await expect(execute(gone, createEntity, { type: 'note', title: 'x' })).rejects.toMatchObject({
      code: 'cancelled',
    })
    expect((await execute(project.context, listEntities, {})).total).toBe(0)
  })
})
