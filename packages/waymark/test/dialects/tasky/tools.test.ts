import { describe, expect, it } from 'vitest'
import { execute } from '../../../src/core/execute.ts'
import { getTask, updateTask } from '../../../src/task/operations.ts'
import { connect, type DialectClient, type Fields } from '../client.ts'
import { BEFORE_ALL } from '../../../src/event/event-id.ts'

type Tasks = readonly Fields[]

async function create(tasky: DialectClient, ...tasks: readonly Fields[]): Promise<Tasks> {
  const { created } = await tasky.call('create_tasks', { tasks })
  return created as Tasks
}

describe('Minimal Core Tools (5 tools total)', () => {
  it('there are exactly five tools, each with the shape of its result [tools-exactly-five]', async () => {
    await using tasky = await connect('tasky')
    const { result } = await tasky.request('tools/list')
    const tools = result?.['tools'] as { name: string; outputSchema: Fields }[]
    expect(tools.map(({ name }) => name)).toEqual([
      'project_info',
      'create_tasks',
      'edit_tasks',
      'search_tasks',
      'get_tasks',
    ])
    for (const { outputSchema } of tools) expect(outputSchema).toMatchObject({ type: 'object' })
  })

  it('project_info is the source of valid statuses, with name, description and counts [tools-project-info]', async () => {
    await using tasky = await connect('tasky')
    const [first] = await create(tasky, { name: 'A' }, { name: 'B' }, { name: 'C' })
    await tasky.call('edit_tasks', {
      operations: [{ task_id: first?.['task_id'], action: 'complete' }],
    })
    expect(await tasky.call('project_info')).toEqual({
      project_name: expect.stringContaining('waymark-test-'),
      project_description: '',
      project_path: tasky.project.directory,
      available_statuses: ['pending', 'completed', 'cancelled'],
      task_counts: { pending: 2, completed: 1, cancelled: 0 },
    })
  })

  it('Claude creates a task via MCP: it comes back with id, status and timestamps and is kept', async () => {
    await using tasky = await connect('tasky')
    const [task] = await create(tasky, { name: 'Buy groceries', details: 'Milk, eggs' })
    expect(task).toEqual({
      task_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Buy groceries',
      details: 'Milk, eggs',
      status: 'pending',
      priority: 3,
      created_at: '2026-11-15T12:00:00.000Z',
      updated_at: '2026-11-15T12:00:00.000Z',
      blockers: [],
      blocked_by: [],
      blocks: [],
      subtasks: [],
      subtask_of: [],
    })
    await using other = await connect('tasky', { project: tasky.project })
    expect(await other.call('get_tasks', { task_ids: [task?.['task_id']] })).toEqual({
      tasks: [task],
    })
  })

  it('Claude creates multiple tasks: all 5 are created atomically', async () => {
    await using tasky = await connect('tasky')
    const tasks = [1, 2, 3, 4, 5].map((at) => ({ name: `T${at}`, priority: at }))
    const created = await create(tasky, ...tasks)
    expect(created.map(({ priority }) => priority)).toEqual([1, 2, 3, 4, 5])
    const refused = await tasky.refusal('create_tasks', {
      tasks: [{ name: 'T6' }, { name: 'T7', blocked_by: ['ffffffff-0000-0000-0000-000000000000'] }],
    })
    expect(refused).toMatchObject({ error: { code: 'task_error', index: 1 } })
    expect(await tasky.call('search_tasks', {})).toMatchObject({ total_count: 5 })
  })

  it('Claude modifies multiple tasks atomically: 3 priorities and 1 completion in one call', async () => {
    await using tasky = await connect('tasky')
    const [a, b, c, d] = await create(
      tasky,
      { name: 'A' },
      { name: 'B' },
      { name: 'C' },
      { name: 'D' },
    )
    const operations = [
      { task_id: a?.['task_id'], action: 'update', priority: 1 },
      { task_id: b?.['task_id'], action: 'update', priority: 2 },
      { task_id: c?.['task_id'], action: 'update', priority: 5 },
      { task_id: d?.['task_id'], action: 'complete' },
    ]
    const { edited } = await tasky.call('edit_tasks', { operations })
    expect(edited).toMatchObject([
      { name: 'A', priority: 1 },
      { name: 'B', priority: 2 },
      { name: 'C', priority: 5 },
      { name: 'D', status: 'completed' },
    ])
  })

  it('one failing edit leaves nothing applied, and the error names its index [tools-failing-edit]', async () => {
    await using tasky = await connect('tasky')
    const [a, b] = await create(tasky, { name: 'A' }, { name: 'B' })
    const refused = await tasky.refusal('edit_tasks', {
      operations: [
        { task_id: a?.['task_id'], action: 'complete' },
        { task_id: b?.['task_id'], action: 'delete' },
        { task_id: 'ffffffff-0000-0000-0000-000000000000', action: 'cancel' },
      ],
    })
    expect(refused).toMatchObject({
      error: {
        code: 'task_error',
        index: 2,
        message: expect.stringMatching(/^operations\.2/),
        suggestions: ['find valid task ids with search_tasks'],
      },
    })
    expect(await tasky.call('search_tasks', { status: 'pending' })).toMatchObject({
      total_count: 2,
    })
  })

  it.each([
    ['complete', { details: 'What was found' }, 'details'],
    ['cancel', { name: 'Another name' }, 'name'],
    ['reopen', { priority: 5 }, 'priority'],
    ['delete', { due_date: '2026-12-01' }, 'due_date'],
    ['complete', { status: 'pending' }, 'status'],
    ['reopen', { status: 'completed' }, 'status'],
  ])('what %s does nothing with is refused, not lost: %o', async (action, fields, field) => {
    await using tasky = await connect('tasky')
    const [task] = await create(tasky, { name: 'A' })
    const task_id = task?.['task_id']
    const operations = [
      { task_id, action: 'update', name: 'B' },
      { task_id, action, ...fields },
    ]
    expect(await tasky.refusal('edit_tasks', { operations })).toMatchObject({
      error: {
        code: 'validation_error',
        index: 1,
        message: expect.stringMatching(`^operations.1.${field}: does nothing with ${action}`),
      },
    })
    expect(await tasky.call('get_tasks', { task_ids: [task_id] })).toMatchObject({
      tasks: [{ name: 'A', status: 'pending' }],
    })
  })

  it.each([
    ['complete', { status: 'completed' }, 'completed'],
    ['cancel', { status: 'cancelled' }, 'cancelled'],
    ['reopen', { status: 'pending' }, 'pending'],
    ['complete', { due_date: null }, 'completed'],
  ])('what %s would do anyway may be said with it: %o', async (action, fields, status) => {
    await using tasky = await connect('tasky')
    const [task] = await create(tasky, { name: 'A' })
    const task_id = task?.['task_id']
    const before = action === 'reopen' ? [{ task_id, action: 'complete' }] : []
    const operations = [...before, { task_id, action, ...fields }]
    const { edited } = await tasky.call('edit_tasks', { operations })
    expect((edited as Tasks).at(-1)).toMatchObject({ name: 'A', status })
  })

  it('a deletion is permanent, confirmed, and in the audit trail with actor, time and reason', async () => {
    await using tasky = await connect('tasky')
    const [task] = await create(tasky, { name: 'Wrong' })
    const task_id = task?.['task_id']
    const { edited } = await tasky.call('edit_tasks', {
      operations: [{ task_id, action: 'delete', reason: 'created twice' }],
    })
    expect(edited).toMatchObject([{ task_id, name: 'Wrong', deletion_confirmed: true }])
    expect(await tasky.call('search_tasks', {})).toEqual({ tasks: [], total_count: 0 })
    expect(await tasky.refusal('get_tasks', { task_ids: [task_id] })).toMatchObject({
      error: { code: 'task_error' },
    })
    expect(
      await tasky.refusal('edit_tasks', { operations: [{ task_id, action: 'delete' }] }),
    ).toMatchObject({ error: { code: 'task_error', index: 0 } })
    const events = await tasky.project.context.store.events.after(BEFORE_ALL, {
      limit: 10,
      types: ['entity.deleted'],
    })
    expect(events).toMatchObject([
      {
        subject: task_id,
        at: Date.parse('2026-11-15T12:00:00Z'),
        data: { action: 'delete', actor: 'mcp_server', reason: 'created twice' },
      },
    ])
  })

  it('a status that is sent back as it was shown changes nothing [tools-status-sent]', async () => {
    await using tasky = await connect('tasky')
    const [begun, done] = await create(tasky, { name: 'Begun' }, { name: 'Done' })
    const { context } = tasky.project
    await execute(context, updateTask, { id: begun?.['task_id'], status: 'in_progress' })
    const update = { action: 'update', status: 'pending', priority: 4 }
    await tasky.call('edit_tasks', {
      operations: [
        { task_id: done?.['task_id'], action: 'complete' },
        { task_id: begun?.['task_id'], ...update },
        { task_id: done?.['task_id'], ...update },
      ],
    })
    const show = async (id: unknown) => await execute(context, getTask, { id })
    expect(await show(begun?.['task_id'])).toMatchObject({ status: 'in_progress', priority: 250 })
    expect(await show(done?.['task_id'])).toMatchObject({ status: 'todo', priority: 250 })
  })

  it('Claude lists tasks with filters via MCP: pending tasks that match, compact and in pages [tools-claude-lists]', async () => {
    await using tasky = await connect('tasky')
    const [, done] = await create(
      tasky,
      { name: 'Fix urgent leak', priority: 5, due_date: '2026-12-01' },
      { name: 'urgent but done' },
      { name: 'Plan', details: 'an URGENT matter' },
      { name: 'Rest' },
    )
    await tasky.call('edit_tasks', {
      operations: [{ task_id: done?.['task_id'], action: 'complete' }],
    })
    const found = await tasky.call('search_tasks', { status: 'pending', search: 'urgent' })
    expect(found).toEqual({
      tasks: [
        {
          task_id: expect.any(String),
          name: 'Fix urgent leak',
          status: 'pending',
          priority: 5,
          due_date: '2026-12-01',
        },
        { task_id: expect.any(String), name: 'Plan', status: 'pending' },
      ],
      total_count: 2,
    })
    expect(
      await tasky.call('search_tasks', { status: 'pending', limit: 1, offset: 1 }),
    ).toMatchObject({ tasks: [{ name: 'Plan' }], total_count: 3 })
    expect(await tasky.call('search_tasks', { due_before: '2026-12-02' })).toMatchObject({
      total_count: 1,
    })
    expect(await tasky.call('search_tasks', { created_after: '2026-11-16' })).toMatchObject({
      total_count: 0,
    })
  })

  it('Claude understands task complexity before acting: blockers, blocked_by, subtasks, subtask_of [tools-claude-understands]', async () => {
    await using tasky = await connect('tasky')
    const [whole, blocker] = await create(tasky, { name: 'Whole' }, { name: 'Blocker' })
    const [part] = await create(tasky, {
      name: 'Part',
      details: 'the hard one',
      blocked_by: [blocker?.['task_id']],
      subtask_of: whole?.['task_id'],
    })
    const { tasks } = await tasky.call('get_tasks', {
      task_ids: [part?.['task_id'], whole?.['task_id'], blocker?.['task_id']],
    })
    expect(tasks).toMatchObject([
      {
        details: 'the hard one',
        blockers: [{ name: 'Blocker', status: 'pending' }],
        blocked_by: [blocker?.['task_id']],
        subtask_of: [{ name: 'Whole' }],
      },
      { subtasks: [{ name: 'Part' }] },
      { blocks: [{ name: 'Part' }] },
    ])
    await tasky.call('edit_tasks', {
      operations: [{ task_id: blocker?.['task_id'], action: 'complete' }],
    })
    const after = await tasky.call('get_tasks', { task_ids: [part?.['task_id']] })
    expect(after['tasks']).toMatchObject([{ blockers: [], blocked_by: [blocker?.['task_id']] }])
  })

  it('states go the ways of the seed: complete, cancel, reopen, and by update [tools-states-go]', async () => {
    await using tasky = await connect('tasky')
    const [task] = await create(tasky, { name: 'A' })
    const task_id = task?.['task_id']
    const edit = (operation: Fields) =>
      tasky.call('edit_tasks', { operations: [{ task_id, ...operation }] })
    expect(await edit({ action: 'cancel' })).toMatchObject({ edited: [{ status: 'cancelled' }] })
    expect(
      await tasky.refusal('edit_tasks', { operations: [{ task_id, action: 'complete' }] }),
    ).toMatchObject({ error: { code: 'task_error' } })
    expect(await edit({ action: 'reopen' })).toMatchObject({ edited: [{ status: 'pending' }] })
    expect(await edit({ action: 'update', status: 'completed', name: 'A2' })).toMatchObject({
      edited: [{ status: 'completed', name: 'A2' }],
    })
    expect(await edit({ action: 'update', status: 'pending', details: 'more' })).toMatchObject({
      edited: [{ status: 'pending', details: 'more' }],
    })
  })
})

describe('Error Handling & Reliability', () => {
  it.each([
    [
      'a bad UUID',
      'get_tasks',
      { task_ids: ['not-a-uuid'] },
      'find valid task ids with search_tasks',
    ],
    [
      'an invalid status',
      'search_tasks',
      { status: 'archived' },
      'valid values for status: pending, completed, cancelled',
    ],
    [
      'an invalid status in an edit',
      'edit_tasks',
      { operations: [{ task_id: 'abcd', action: 'update', status: 'archived' }] },
      'valid values for status: pending, completed, cancelled',
    ],
    [
      'a bad date',
      'create_tasks',
      { tasks: [{ name: 'A', due_date: 'tomorrow' }] },
      'write dates as YYYY-MM-DD, for example 2026-11-15',
    ],
    [
      'an unknown action',
      'edit_tasks',
      { operations: [{ task_id: 'abcd', action: 'archive' }] },
      'valid values for action: update, delete, complete, cancel, reopen',
    ],
    [
      'a priority out of range',
      'create_tasks',
      { tasks: [{ name: 'A', priority: 9 }] },
      'priority is a whole number from 1 to 5; 5 is the most urgent',
    ],
  ])('Invalid input is rejected with clear error: %s', async (_, tool, args, suggestion) => {
    await using tasky = await connect('tasky')
    expect(await tasky.refusal(tool, args)).toMatchObject({
      error: {
        code: 'validation_error',
        message: expect.stringMatching(/\w/),
        request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        suggestions: [suggestion],
      },
    })
  })

  it.each([
    { tasks: [] },
    { tasks: [{ name: '  ' }] },
    { tasks: [{ name: 'A', color: 'red' }] },
    {},
  ])('%j is a validation error', async (args) => {
    await using tasky = await connect('tasky')
    expect(await tasky.refusal('create_tasks', args)).toMatchObject({
      error: { code: 'validation_error' },
    })
  })

  it('Request IDs enable tracing: every log line of a request and its error carry the same new id', async () => {
    await using tasky = await connect('tasky')
    const before = tasky.log.length
    const first = await tasky.result('get_tasks', { task_ids: ['ffff'] })
    const second = await tasky.result('get_tasks', { task_ids: ['ffff'] })
    const idOf = ({ structuredContent }: { structuredContent: Fields }) =>
      String((structuredContent['error'] as Fields)['request_id'])
    expect(idOf(first)).not.toBe(idOf(second))
    expect(first.content[0]?.text).toContain(`[${idOf(first)}]`)
    const lines = tasky.log.slice(before)
    expect(lines.length).toBeGreaterThanOrEqual(4)
    for (const line of lines) {
      expect([idOf(first), idOf(second)].filter((id) => line.includes(id))).toHaveLength(1)
    }
  })

  it('Operations timeout if taking too long: the error says so and nothing is left behind', async () => {
    await using tasky = await connect('tasky', {
      env: { TASKY_MCP_TIMEOUT_SECONDS: '0.005' },
    })
    const tasks = Array.from({ length: 1000 }, (_, at) => ({ name: `T${at}` }))
    const refused = await tasky.refusal('create_tasks', { tasks })
    expect(refused).toMatchObject({ error: { code: 'timeout_error' } })
    await using patient = await connect('tasky', { project: tasky.project })
    expect(await patient.call('search_tasks', {})).toMatchObject({ total_count: 0 })
    await create(patient, { name: 'A' })
  })

  it('a key makes a repeated call have its effect once', async () => {
    await using tasky = await connect('tasky')
    const call = { tasks: [{ name: 'A' }], idempotency_key: 'k' }
    const first = await tasky.call('create_tasks', call)
    expect(await tasky.call('create_tasks', call)).toEqual(first)
    const meta = await tasky.result(
      'create_tasks',
      { tasks: [{ name: 'B' }] },
      { idempotencyKey: 'm' },
    )
    expect(
      await tasky.result('create_tasks', { tasks: [{ name: 'B' }] }, { idempotencyKey: 'm' }),
    ).toEqual(meta)
    expect(await tasky.call('search_tasks', {})).toMatchObject({ total_count: 2 })
  })
})
