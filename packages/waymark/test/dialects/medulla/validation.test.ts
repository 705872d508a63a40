import { describe, expect, it } from 'vitest'
import { connectMedulla, type Fields } from './client.ts'

const KIB = 1024
const VALIDATION = -32003

type Row = readonly [what: string, args: Fields, code: number, type: string, field: string]

const note = (rest: Fields) => ({ type: 'note', title: 'x', ...rest })
const of = (type: string, properties: Fields) => ({ type, title: 'x', properties })

/** Each row of the seed's tables, broken. */
const ROWS: readonly Row[] = [
  ['no title', { type: 'note' }, VALIDATION, 'TitleRequired', 'title'],
  ['an empty title', note({ title: '' }), VALIDATION, 'TitleRequired', 'title'],
  ['a blank title', note({ title: ' \t\n' }), VALIDATION, 'TitleRequired', 'title'],
  [
    'a title of 501 characters',
    note({ title: 'x'.repeat(501) }),
    VALIDATION,
    'TitleTooLong',
    'title',
  ],
  ['a title that is no text', note({ title: 5 }), VALIDATION, 'ValidationFailed', 'title'],
  [
    'a content of 102,401 bytes',
    note({ content: 'x'.repeat(100 * KIB + 1) }),
    VALIDATION,
    'ContentTooLarge',
    'content',
  ],
  [
    'a content whose bytes are more than its characters',
    note({ content: 'ä'.repeat(50 * KIB + 1) }),
    VALIDATION,
    'ContentTooLarge',
    'content',
  ],
  ['no type', { title: 'x' }, -32002, 'EntityTypeInvalid', 'type'],
  ['an unknown type', { type: 'epic', title: 'x' }, -32002, 'EntityTypeInvalid', 'type'],
  ['an empty tag', note({ tags: [''] }), VALIDATION, 'ValidationFailed', 'tags.0'],
  [
    'a tag of 101 characters',
    note({ tags: ['x'.repeat(101)] }),
    VALIDATION,
    'ValidationFailed',
    'tags.0',
  ],
  [
    '51 tags',
    note({ tags: Array.from({ length: 51 }, (_, at) => `t${at}`) }),
    VALIDATION,
    'ValidationFailed',
    'tags',
  ],
  ['tags that are no list', note({ tags: 'a' }), VALIDATION, 'ValidationFailed', 'tags'],

  [
    'a decision status',
    of('decision', { status: 'done' }),
    VALIDATION,
    'InvalidEnumValue',
    'status',
  ],
  [
    'a context over 50 KB',
    of('decision', { context: 'x'.repeat(50 * KIB + 1) }),
    VALIDATION,
    'ValidationFailed',
    'context',
  ],
  [
    'a consequence over 1 KB',
    of('decision', { consequences: ['ok', 'x'.repeat(KIB + 1)] }),
    VALIDATION,
    'ValidationFailed',
    'consequences.1',
  ],
  [
    'a successor without the status',
    of('decision', { superseded_by: '1' }),
    VALIDATION,
    'InvalidEnumValue',
    'status',
  ],
  [
    'a successor that does not exist',
    of('decision', { status: 'superseded', superseded_by: '99' }),
    -32001,
    'EntityNotFound',
    '',
  ],

  ['a task status', of('task', { status: 'open' }), VALIDATION, 'InvalidEnumValue', 'status'],
  [
    'a status of the engine',
    of('task', { status: 'cancelled' }),
    VALIDATION,
    'InvalidEnumValue',
    'status',
  ],
  ['a priority', of('task', { priority: 'asap' }), VALIDATION, 'InvalidEnumValue', 'priority'],
  [
    'a priority of the engine',
    of('task', { priority: 7 }),
    VALIDATION,
    'InvalidEnumValue',
    'priority',
  ],
  [
    'a due date in words',
    of('task', { due_date: 'soon' }),
    VALIDATION,
    'InvalidDateFormat',
    'due_date',
  ],
  [
    'a due date that does not exist',
    of('task', { due_date: '2026-02-30' }),
    VALIDATION,
    'InvalidDateFormat',
    'due_date',
  ],
  ['an empty assignee', of('task', { assignee: '' }), VALIDATION, 'ValidationFailed', 'assignee'],
  [
    'an assignee of 101 characters',
    of('task', { assignee: 'x'.repeat(101) }),
    VALIDATION,
    'ValidationFailed',
    'assignee',
  ],

  [
    'an empty note type',
    of('note', { note_type: '' }),
    VALIDATION,
    'ValidationFailed',
    'note_type',
  ],
  [
    'a note type of 51 characters',
    of('note', { note_type: 'x'.repeat(51) }),
    VALIDATION,
    'ValidationFailed',
    'note_type',
  ],

  [
    'a template over 50 KB',
    of('prompt', { template: 'x'.repeat(50 * KIB + 1) }),
    VALIDATION,
    'ValidationFailed',
    'template',
  ],
  [
    'an empty variable',
    of('prompt', { variables: [''] }),
    VALIDATION,
    'ValidationFailed',
    'variables.0',
  ],
  [
    'a variable of 101 characters',
    of('prompt', { variables: ['x'.repeat(101)] }),
    VALIDATION,
    'ValidationFailed',
    'variables.0',
  ],
  [
    'an output schema that is no JSON',
    of('prompt', { output_schema: '{' }),
    VALIDATION,
    'ValidationFailed',
    'output_schema',
  ],
  [
    'an output schema over 10 KB',
    of('prompt', { output_schema: JSON.stringify('x'.repeat(10 * KIB)) }),
    VALIDATION,
    'ValidationFailed',
    'output_schema',
  ],

  [
    'a component type of 51 characters',
    of('component', { component_type: 'x'.repeat(51) }),
    VALIDATION,
    'ValidationFailed',
    'component_type',
  ],
  [
    'a component status',
    of('component', { status: 'done' }),
    VALIDATION,
    'InvalidEnumValue',
    'status',
  ],
  ['an empty owner', of('component', { owner: ' ' }), VALIDATION, 'ValidationFailed', 'owner'],
  [
    'an owner of 101 characters',
    of('component', { owner: 'x'.repeat(101) }),
    VALIDATION,
    'ValidationFailed',
    'owner',
  ],

  ['a link without url', of('link', {}), VALIDATION, 'ValidationFailed', 'url'],
  ['a url that is none', of('link', { url: 'example' }), VALIDATION, 'InvalidUrl', 'url'],
  [
    'a url that runs code',
    of('link', { url: 'javascript:alert(1)' }),
    VALIDATION,
    'InvalidUrl',
    'url',
  ],
  [
    'a url over 2 KB',
    of('link', { url: `https://example.org/${'x'.repeat(2 * KIB)}` }),
    VALIDATION,
    'ValidationFailed',
    'url',
  ],
  [
    'a link type of 51 characters',
    of('link', { url: 'https://example.org', link_type: 'x'.repeat(51) }),
    VALIDATION,
    'ValidationFailed',
    'link_type',
  ],
  [
    'a relation to nothing',
    note({ relations: ['references:99'] }),
    -32004,
    'RelationTargetNotFound',
    'relations.0',
  ],
]

describe('what entity_create refuses', () => {
  it.each(ROWS)(
    '%s: the right code and field, and nothing is written [validation-right-code]',
    async (_, args, code, type, field) => {
      await using medulla = await connectMedulla()
      const error = await medulla.refusal('entity_create', args)
      expect(error).toMatchObject({ code, data: { error_type: type } })
      if (field !== '') {
        expect(error.data['field']).toBe(field)
        if (code === VALIDATION) expect(error.message).toContain(field.split('.')[0])
      }
      expect(await medulla.call('entity_list')).toMatchObject({ total: 0 })
      expect(await medulla.project.context.store.events.latest()).toBe(0)
    },
  )
})

describe('what the other tools refuse [validation-tools-refuse]', () => {
  it.each([
    ['entity_get', { id: '99' }, -32001, { error_type: 'EntityNotFound', id: '99' }],
    ['entity_get', { id: 'abc' }, VALIDATION, { error_type: 'ValidationFailed', field: 'id' }],
    ['entity_get', { id: 'xyz1' }, VALIDATION, { error_type: 'ValidationFailed', field: 'id' }],
    ['entity_get', {}, VALIDATION, { error_type: 'ValidationFailed', field: 'id' }],
    // The example of the seed's error format.
    [
      'entity_get',
      { id: 'nonexistent-id' },
      -32001,
      { error_type: 'EntityNotFound', id: 'nonexistent-id', field: 'id' },
    ],
    [
      'graph_path',
      { from_id: '1', to_id: 'nonexistent-id' },
      -32001,
      { error_type: 'EntityNotFound', id: 'nonexistent-id', field: 'to_id' },
    ],
    [
      'relation_create',
      { source_id: '1', target_id: 'nonexistent-id', relation_type: 'blocks' },
      -32004,
      { error_type: 'RelationTargetNotFound', target_id: 'nonexistent-id', field: 'target_id' },
    ],
    [
      'entity_update',
      { id: '1', properties: { status: 'later' } },
      VALIDATION,
      { error_type: 'InvalidEnumValue', valid: ['todo', 'in_progress', 'blocked', 'done'] },
    ],
    [
      'search_fulltext',
      { query: '' },
      VALIDATION,
      { field: 'query', message: 'query: must not be empty' },
    ],
    ['entity_list', { type: 'epic' }, -32002, { error_type: 'EntityTypeInvalid', field: 'type' }],
    ['entity_list', { limit: 0 }, VALIDATION, { field: 'limit' }],
    ['entity_list', { offset: -1 }, VALIDATION, { field: 'offset' }],
    ['entity_update', { id: '99', title: 'x' }, -32001, { error_type: 'EntityNotFound' }],
    ['entity_update', { id: '1', title: '' }, VALIDATION, { error_type: 'TitleRequired' }],
    ['entity_update', { id: '1', properties: { status: 'x' } }, VALIDATION, { field: 'status' }],
    ['entity_delete', { id: '99' }, -32001, { error_type: 'EntityNotFound' }],
    ['entity_batch', {}, VALIDATION, { field: 'operations' }],
    ['search_fulltext', {}, VALIDATION, { field: 'query' }],
    ['search_fulltext', { query: '  ' }, VALIDATION, { field: 'query' }],
    ['search_fulltext', { query: 'x', type: 'epic' }, -32002, { error_type: 'EntityTypeInvalid' }],
    ['search_semantic', { query: 'x', threshold: 2 }, VALIDATION, { field: 'threshold' }],
    ['graph_relations', { id: '1', direction: 'up' }, VALIDATION, { field: 'direction' }],
    ['graph_path', { from_id: '1' }, VALIDATION, { field: 'to_id' }],
    [
      'graph_path',
      { from_id: '1', to_id: '99' },
      -32001,
      { error_type: 'EntityNotFound', id: '99' },
    ],
    ['graph_orphans', { type: 'epic' }, -32002, { error_type: 'EntityTypeInvalid' }],
    [
      'relation_create',
      { source_id: '1', target_id: '99', relation_type: 'blocks' },
      -32004,
      { error_type: 'RelationTargetNotFound', target_id: '99' },
    ],
    [
      'relation_create',
      { source_id: '99', target_id: '1', relation_type: 'blocks' },
      -32001,
      { error_type: 'EntityNotFound', id: '99' },
    ],
    [
      'relation_create',
      { source_id: '1', target_id: '1', relation_type: 'blocks' },
      -32004,
      { error_type: 'SelfReferentialRelation' },
    ],
    ['relation_create', { source_id: '1', target_id: '2' }, VALIDATION, { field: 'relation_type' }],
    [
      'relation_create',
      { source_id: '2', target_id: '1', relation_type: 'blocks' },
      VALIDATION,
      { field: 'relation_type', reason: 'cycle' },
    ],
    ['task_ready', { priority: 'asap' }, VALIDATION, { field: 'priority' }],
    ['task_blocked', { id: '99' }, -32001, { error_type: 'EntityNotFound' }],
    ['task_complete', {}, VALIDATION, { field: 'id' }],
    ['task_reschedule', { id: '1' }, VALIDATION, { field: 'due_date' }],
    [
      'decision_supersede',
      { old_id: '1', new_id: '3' },
      VALIDATION,
      { error_type: 'ValidationFailed', field: 'old_id', value: '1' },
    ],
    [
      'entity_create',
      { type: 'decision', title: 'D', properties: { status: 'accepted', superseded_by: '3' } },
      VALIDATION,
      { field: 'status', value: 'accepted', valid: ['superseded'] },
    ],
    [
      'entity_create',
      { type: 'decision', title: 'D', properties: { superseded_by: '3' } },
      VALIDATION,
      { field: 'status', value: null, valid: ['superseded'] },
    ],
    ['decision_supersede', { old_id: '3' }, VALIDATION, { field: 'new_id' }],
    ['decision_supersede', { old_id: '3', new_id: '1' }, VALIDATION, { field: 'new_id' }],
    ['decision_supersede', { old_id: '99', new_id: '3' }, -32001, { id: '99' }],
    ['sync_snapshot', { output_dir: '../out' }, VALIDATION, { field: 'output_dir' }],
  ] as const)('%s %j', async (tool, args, code, data) => {
    await using medulla = await connectMedulla()
    await medulla.call('entity_create', { type: 'task', title: 'A' })
    await medulla.call('entity_create', { type: 'task', title: 'B' })
    await medulla.call('entity_create', { type: 'decision', title: 'C' })
    await medulla.call('relation_create', {
      source_id: '1',
      target_id: '2',
      relation_type: 'blocks',
    })
    const events = await medulla.project.context.store.events.latest()
    expect(await medulla.refusal(tool, { ...args })).toMatchObject({ code, data })
    expect(await medulla.project.context.store.events.latest()).toBe(events)
  })

  it('an id that fits several entities lists them [validation-id-fits]', async () => {
    const ids = ['0a1b2c3d-4e5f-4a6b-8c7d-8e9f0a1b2c3d', '0a1b2c3d-5000-4000-8000-000000000000']
    await using medulla = await connectMedulla({
      context: { newId: () => ids.shift() ?? crypto.randomUUID() },
    })
    await medulla.call('entity_create', note({}))
    await medulla.call('entity_create', note({}))
    expect(await medulla.refusal('entity_get', { id: '0a1b2c3d' })).toMatchObject({
      code: VALIDATION,
      data: { field: 'id', candidates: [{ number: 1 }, { number: 2 }] },
    })
  })

  it('an unknown tool, and a call without a name, are invalid params', async () => {
    await using medulla = await connectMedulla()
    expect(await medulla.request('tools/call', { name: 'nothing' })).toMatchObject({
      error: { code: -32602 },
    })
    expect(await medulla.request('tools/call', {})).toMatchObject({ error: { code: -32602 } })
  })
})
