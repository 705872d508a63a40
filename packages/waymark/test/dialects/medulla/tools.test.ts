import { describe, expect, it } from 'vitest'
import { type Fields, type MedullaClient, connectMedulla } from './client.ts'

const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-/)

const TOOLS = `
  entity_create entity_get entity_list entity_update entity_delete entity_batch
  search_fulltext search_semantic search_query
  graph_relations graph_path graph_orphans relation_create relation_delete
  task_ready task_blocked task_next task_complete task_reschedule
  decision_supersede sync_snapshot ping`

const titles = (rows: unknown) => (rows as { title: string }[]).map(({ title }) => title)

async function withTitles(...entities: readonly Fields[]): Promise<MedullaClient> {
  const medulla = await connectMedulla()
  for (const entity of entities) await medulla.call('entity_create', entity)
  return medulla
}

const task = (title: string, properties: Fields = {}) => ({ type: 'task', title, properties })
const decision = (title: string, rest: Fields = {}) => ({ type: 'decision', title, ...rest })

it('every tool of the seed and of its later phases is listed, and nothing else [tools-every-tool]', async () => {
  await using medulla = await connectMedulla()
  const names = (await medulla.list('tools/list', 'tools')).map(({ name }) => String(name))
  expect(names.toSorted()).toEqual(TOOLS.trim().split(/\s+/).toSorted())
})

describe('entities', () => {
  it('have the shape of the seed [tools-shape-seed]', async () => {
    await using medulla = await connectMedulla()
    const made = await medulla.call('entity_create', {
      type: 'task',
      title: 'Implement auth',
      content: '## Why',
      tags: ['auth'],
      properties: { status: 'todo', priority: 'high', due_date: '2025-02-01', unknown: 1 },
    })
    expect(made).toEqual({
      id: UUID,
      sequence_number: 1,
      type: 'task',
      title: 'Implement auth',
      content: '## Why',
      tags: ['auth'],
      created_at: '2026-11-15T12:00:00.000Z',
      updated_at: '2026-11-15T12:00:00.000Z',
      created_by: 'test',
      properties: { status: 'todo', priority: 'high', due_date: '2025-02-01' },
    })
    expect(await medulla.call('entity_get', { id: '1' })).toEqual(made)
    expect(await medulla.call('entity_get', { id: 1 })).toEqual(made)
    expect(await medulla.call('entity_list', { type: 'task' })).toEqual({
      entities: [made],
      total: 1,
      limit: 50,
      offset: 0,
    })
  })

  it('what the engine knows beyond the seed is neither shown nor taken [tools-engine-knows]', async () => {
    await using medulla = await withTitles(task('A', { needs_verification: 'x', locks: 5 }))
    expect((await medulla.call('entity_get', { id: '1' }))['properties']).toEqual({
      status: 'todo',
      priority: 'normal',
    })
  })

  it('a page asked too large is capped, not refused [tools-page-asked]', async () => {
    await using medulla = await connectMedulla()
    expect(await medulla.call('entity_list', { limit: 5000 })).toMatchObject({ limit: 100 })
  })

  it('a batch reports each step with the code of what went wrong [tools-batch-reports]', async () => {
    await using medulla = await withTitles(task('Old'))
    const done = await medulla.call('entity_batch', {
      operations: [
        { op: 'create', type: 'task', title: 'Task 1', properties: { priority: 'urgent' } },
        { op: 'update', id: '1', title: 'Updated' },
        { op: 'delete', id: 'def456' },
        { op: 'create', type: 'epic', title: 'x' },
        { op: 'create', type: 'task', title: ' ' },
        { op: 'create', type: 'task', title: 'x', properties: { status: 'cancelled' } },
        { op: 'create', type: 'task', title: 'x', properties: { due_date: 'soon' } },
        { op: 'update', id: '1', relations: ['references:99'] },
        { op: 'create', type: 'link', title: 'x', properties: { url: 'nope' } },
      ],
    })
    expect(done).toMatchObject({ succeeded: 2, failed: 7 })
    expect((done['results'] as Fields[]).slice(0, 3)).toEqual([
      { index: 0, success: true, id: UUID },
      { index: 1, success: true, id: UUID },
      {
        index: 2,
        success: false,
        error: { code: 'ENTITY_NOT_FOUND', message: expect.any(String), id: 'def456' },
      },
    ])
    const codes = (done['results'] as { error?: { code: string } }[]).map(
      ({ error }) => error?.code,
    )
    expect(codes.slice(3)).toEqual([
      'ENTITY_TYPE_INVALID',
      'TITLE_REQUIRED',
      'INVALID_ENUM_VALUE',
      'INVALID_DATE_FORMAT',
      'RELATION_TARGET_NOT_FOUND',
      'INVALID_URL',
    ])
  })

  it('a batch larger than MEDULLA_MAX_BATCH_SIZE is refused whole', async () => {
    await using medulla = await connectMedulla({ env: { MEDULLA_MAX_BATCH_SIZE: '1' } })
    const step = { op: 'create', type: 'note', title: 'x' }
    expect(await medulla.refusal('entity_batch', { operations: [step, step] })).toMatchObject({
      code: -32003,
      data: { error_type: 'ValidationFailed', field: 'operations' },
    })
    expect(await medulla.call('entity_list')).toMatchObject({ total: 0 })
  })
})

describe('search', () => {
  it('search_fulltext finds and shows where', async () => {
    await using medulla = await withTitles(
      decision('Use PostgreSQL', { content: 'Because of replication.' }),
      task('Other'),
    )
    expect(await medulla.call('search_fulltext', { query: 'replication' })).toEqual({
      results: [
        {
          id: UUID,
          sequence_number: 1,
          type: 'decision',
          title: 'Use PostgreSQL',
          snippet: 'Because of <mark>replication</mark>.',
          score: expect.any(Number),
        },
      ],
      query: 'replication',
      mode: 'fulltext',
      total: 1,
    })
    expect(
      await medulla.call('search_fulltext', { query: 'replication', type: 'task' }),
    ).toMatchObject({ results: [] })
  })

  it('search_semantic names its model and threshold [tools-search-semantic]', async () => {
    await using medulla = await withTitles(decision('Authenticating users'), task('Palette'))
    expect(await medulla.call('search_semantic', { query: 'user authentication' })).toMatchObject({
      results: [
        {
          entity_id: UUID,
          entity_type: 'decision',
          sequence_number: 1,
          title: 'Authenticating users',
        },
      ],
      total: 1,
      query: 'user authentication',
      threshold: 0.15,
      mode: 'semantic',
      model: expect.stringContaining('approximate'),
    })
  })

  it('search_query takes filters in the text and as fields [tools-search-query]', async () => {
    await using medulla = await withTitles(
      decision('Cache in memory', { tags: ['perf'] }),
      decision('Cache on disk', { tags: ['perf', 'disk'] }),
      task('Cache it'),
    )
    const ask = async (args: Fields) => {
      const found = await medulla.call('search_query', args)
      return titles(found['results']).toSorted()
    }
    expect(await ask({ query: 'cache type:decision' })).toEqual([
      'Cache in memory',
      'Cache on disk',
    ])
    expect(await ask({ query: 'cache', type: 'task' })).toEqual(['Cache it'])
    expect(await ask({ query: 'cache tag:perf', tags: ['disk'] })).toEqual(['Cache on disk'])
    expect(await ask({ type: 'decision' })).toEqual(['Cache in memory', 'Cache on disk'])
    expect(await ask({ query: 'cache', created_after: '2026-11-16' })).toEqual([])
    const both = await medulla.call('search_query', {
      query: 'disk',
      semantic_query: 'memory cache',
      type: 'decision',
    })
    expect(both).toMatchObject({ mode: 'hybrid', filters: { type: 'decision' } })
    expect((both['results'] as Fields[]).map((row) => [row['title'], row['match_type']])).toEqual(
      expect.arrayContaining([
        ['Cache on disk', 'fulltext'],
        ['Cache in memory', 'semantic'],
      ]),
    )
    expect(await medulla.refusal('search_query', {})).toMatchObject({
      code: -32003,
      data: { field: 'query' },
    })
    expect(
      await medulla.refusal('search_query', { query: 'x', created_before: 'then' }),
    ).toMatchObject({ data: { error_type: 'InvalidDateFormat', field: 'created_before' } })
  })
})

describe('graph', () => {
  it('relation_create, graph_relations, relation_delete [tools-relation-create]', async () => {
    await using medulla = await withTitles(decision('D'), task('T'))
    const edge = { source_id: '2', target_id: '1', relation_type: 'implements' }
    expect(await medulla.call('relation_create', edge)).toEqual({
      source_id: UUID,
      source_type: 'task',
      target_id: UUID,
      target_type: 'decision',
      relation_type: 'implements',
    })
    expect(await medulla.call('graph_relations', { id: '1' })).toMatchObject({
      entity_id: UUID,
      outgoing: [],
      incoming: [{ relation_type: 'implements', source_type: 'task', target_type: 'decision' }],
    })
    expect(await medulla.call('graph_relations', { id: '1', direction: 'from' })).toMatchObject({
      incoming: [],
    })
    expect(await medulla.call('relation_delete', edge)).toMatchObject({ deleted: true })
    expect(await medulla.refusal('relation_delete', edge)).toMatchObject({ code: -32001 })
  })

  it('graph_path is an array of ids, empty without a path [tools-graph-path]', async () => {
    await using medulla = await withTitles(task('A'), task('B'), task('C'), task('D'))
    for (const [source_id, target_id] of [
      ['1', '2'],
      ['3', '2'],
    ]) {
      await medulla.call('relation_create', { source_id, target_id, relation_type: 'references' })
    }
    const ids = (await medulla.call('entity_list'))['entities'] as { id: string }[]
    expect(await medulla.call('graph_path', { from_id: '1', to_id: '3' })).toEqual({
      path: ids.slice(0, 3).map(({ id }) => id),
      length: 2,
    })
    expect(await medulla.call('graph_path', { from_id: '1', to_id: '1' })).toEqual({
      path: [ids[0]?.id],
      length: 0,
    })
    expect(await medulla.call('graph_path', { from_id: '1', to_id: '4' })).toEqual({
      path: [],
      length: null,
      message: 'No path found',
    })
    expect(
      await medulla.refusal('graph_path', { from_id: '1', to_id: '2', max_depth: 1000 }),
    ).toMatchObject({ code: -32003, data: { error_type: 'MaxDepthExceeded', max: 100 } })
  })

  it('graph_orphans, by type [tools-graph-orphans]', async () => {
    await using medulla = await withTitles(
      task('A'),
      decision('B'),
      decision('Target'),
      decision('Source', { relations: ['references:3'] }),
    )
    expect(await medulla.call('graph_orphans')).toMatchObject({
      orphans: [{ title: 'A' }, { title: 'B' }],
      total: 2,
    })
    expect(await medulla.call('graph_orphans', { type: 'decision' })).toEqual({
      orphans: [{ id: UUID, sequence_number: 2, type: 'decision', title: 'B' }],
      total: 1,
    })
  })

  it('decision_supersede [tools-decision-supersede]', async () => {
    await using medulla = await withTitles(decision('Old'), decision('New'))
    const done = await medulla.call('decision_supersede', { old_id: '1', new_id: '2' })
    const { id: from } = await medulla.call('entity_get', { id: '2' })
    expect(done).toMatchObject({
      old_decision: {
        sequence_number: 1,
        properties: { status: 'superseded', superseded_by: from },
      },
      new_decision_id: from,
      relation: { type: 'supersedes', from },
      message: expect.any(String),
    })
    expect(await medulla.call('graph_relations', { id: '1' })).toMatchObject({
      incoming: [{ relation_type: 'supersedes' }],
    })
  })
})

describe('the task queue', () => {
  async function queue() {
    const medulla = await withTitles(
      task('Low', { priority: 'low' }),
      task('Normal, late', { due_date: '2026-12-24' }),
      task('Normal, soon', { due_date: '2026-12-01', assignee: 'kim' }),
      task('Normal, whenever'),
      task('Urgent', { priority: 'urgent' }),
      task('High, blocked', { priority: 'high' }),
      task('Said to be blocked', { priority: 'low', status: 'blocked' }),
      task('Done', { status: 'done' }),
    )
    await medulla.call('relation_create', {
      source_id: '1',
      target_id: '6',
      relation_type: 'blocks',
    })
    return medulla
  }

  it('task_ready: by priority, then by date, then by number [tools-task-ready]', async () => {
    await using medulla = await queue()
    const { tasks, total } = await medulla.call('task_ready')
    expect(titles(tasks)).toEqual([
      'Urgent',
      'Normal, soon',
      'Normal, late',
      'Normal, whenever',
      'Low',
      'Said to be blocked',
    ])
    expect(total).toBe(6)
    expect((tasks as Fields[])[1]).toEqual({
      id: UUID,
      sequence_number: 3,
      title: 'Normal, soon',
      status: 'todo',
      priority: 'normal',
      due_date: '2026-12-01',
      assignee: 'kim',
    })
    expect(titles((await medulla.call('task_ready', { limit: 2 }))['tasks'])).toEqual([
      'Urgent',
      'Normal, soon',
    ])
    expect(titles((await medulla.call('task_ready', { priority: 'low' }))['tasks'])).toEqual([
      'Low',
      'Said to be blocked',
    ])
  })

  it('task_next, task_blocked, task_complete, task_reschedule [tools-task-next]', async () => {
    await using medulla = await queue()
    expect(await medulla.call('task_next')).toMatchObject({ title: 'Urgent', priority: 'urgent' })
    expect(await medulla.call('task_blocked')).toMatchObject({
      blocked_tasks: [
        {
          title: 'High, blocked',
          blockers: [{ sequence_number: 1, title: 'Low', status: 'todo' }],
        },
      ],
      total: 1,
    })
    expect(await medulla.call('task_blocked', { id: '6' })).toMatchObject({
      task_id: UUID,
      blockers: [{ sequence_number: 1 }],
      total: 1,
    })
    expect(await medulla.call('task_blocked', { id: '5' })).toMatchObject({
      blockers: [],
      total: 0,
    })
    expect(await medulla.call('task_complete', { id: '1' })).toMatchObject({
      sequence_number: 1,
      type: 'task',
      properties: { status: 'done', priority: 'low' },
    })
    expect(await medulla.call('task_blocked')).toMatchObject({ blocked_tasks: [], total: 0 })
    expect(
      await medulla.call('task_reschedule', { id: '4', due_date: '2027-01-31' }),
    ).toMatchObject({ properties: { due_date: '2027-01-31' } })
    expect(await medulla.refusal('task_reschedule', { id: '4', due_date: 'soon' })).toMatchObject({
      code: -32003,
      data: { error_type: 'InvalidDateFormat', field: 'due_date', value: 'soon' },
    })
  })

  it('without a ready task there is none, and that is said [tools-ready-task]', async () => {
    await using medulla = await connectMedulla()
    expect(await medulla.call('task_next')).toEqual({ task: null, message: 'No ready tasks' })
    expect(await medulla.call('task_ready')).toEqual({ tasks: [], total: 0 })
  })
})

it('ping [tools-ping]', async () => {
  await using medulla = await connectMedulla()
  const { result } = await medulla.request('tools/call', { name: 'ping', arguments: {} })
  expect(result).toMatchObject({ content: [{ type: 'text', text: 'pong' }] })
})
