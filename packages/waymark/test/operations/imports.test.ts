import { describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { listEvents } from '../../src/event/operations.ts'
import { importFrom } from '../../src/exchange/operations.ts'
import { importTasks } from '../../src/task/import/operations.ts'
import { describeTrust } from '../../src/agent/trust-text.ts'
import { getEntity } from '../../src/entity/operations.ts'
import { listTasks } from '../../src/task/queue/list.ts'
import { claimTask, releaseTask } from '../../src/task/lease/operations.ts'
import { getTask, updateTask } from '../../src/task/operations.ts'
import { undoChanges } from '../../src/sync/history/undo.ts'
import { pathToOutside, START } from '../setup.ts'
import { projectWith, write } from './import-project.ts'

const BEADS = [
  {
    id: 'bd-a1',
    title: 'Epic',
    issue_type: 'epic',
    status: 'open',
    priority: 1,
    created_at: '2026-01-02T03:04:05Z',
  },
  {
    id: 'bd-a1.1',
    title: 'Fix login',
    description: 'It fails.',
    design: 'Use tokens.',
    notes: 'See log.',
    acceptance_criteria: '- [ ] works\n- is fast',
    status: 'in_progress',
    priority: 0,
    issue_type: 'bug',
    assignee: 'kim',
    labels: ['auth'],
    due_at: '2026-12-01T00:00:00Z',
    estimated_minutes: 30,
    comments: [{ author: 'lee', text: 'hm', created_at: '2026-01-03T00:00:00Z' }],
    dependencies: [
      { issue_id: 'bd-a1.1', depends_on_id: 'bd-a1', type: 'parent-child' },
      { issue_id: 'bd-a1.1', depends_on_id: 'bd-b2', type: 'blocks' },
      { issue_id: 'bd-a1.1', depends_on_id: 'bd-zz', type: 'blocks' },
    ],
  },
  {
    id: 'bd-b2',
    title: 'Done thing',
    status: 'closed',
    closed_at: '2026-02-01T00:00:00Z',
    close_reason: 'shipped',
    dependencies: [{ issue_id: 'bd-b2', depends_on_id: 'bd-a1.1', type: 'discovered-from' }],
  },
  { id: 'bd-c3', title: 'Later', status: 'deferred', priority: 4 },
  { id: 'bd-d4', title: 'Dead', status: 'tombstone' },
]

const JSONL = `${BEADS.map((issue) => JSON.stringify(issue)).join('\n')}\n{"id":"bd-e5"}\n`

describe('Beads', () => {
  const files = { '.beads/issues.jsonl': JSONL }

  it('issues come with everything, and what has no place is named', async () => {
    await using project = await projectWith(files)
    const done = await execute(project.context, importTasks, { format: 'beads' })
    expect(done).toEqual({
      format: 'beads',
      path: '.beads/issues.jsonl',
      dry_run: false,
      found: 4,
      created: 4,
      updated: 0,
      unchanged: 0,
      left_out: 0,
      remarks: [
        'field estimated_minutes was not taken over',
        'a deleted issue was left out',
        'line 6 has no id or no title and was left out',
        'bd-a1.1 blocked_by beads:bd-zz, which is not there',
      ],
    })
    expect(await execute(project.context, getTask, { id: 'bd-a1.1' })).toMatchObject({
      title: 'Fix login',
      content:
        'It fails.\n\n## Design\n\nUse tokens.\n\n## Notes\n\nSee log.\n\n## Comments\n\n- lee, 2026-01-03T00:00:00.000Z: hm',
      status: 'in_progress',
      priority: 0,
      task_type: 'bug',
      assignee: 'kim',
      labels: ['auth'],
      due_date: '2026-12-01',
      acceptance_criteria: ['works', 'is fast'],
      external_ref: 'beads:bd-a1.1',
      parents: [{ key: 'bd-a1' }],
      depends_on: [{ key: 'bd-b2' }],
      blockers: [],
    })
    expect(await execute(project.context, getTask, { id: 'BD-A1' })).toMatchObject({
      priority: 250,
      created_at: '2026-01-02T03:04:05.000Z',
    })
    expect(await execute(project.context, getTask, { id: 'bd-b2' })).toMatchObject({
      status: 'done',
      completed_at: '2026-02-01T00:00:00.000Z',
      close_reason: 'shipped',
      discovered_from: [{ key: 'bd-a1.1' }],
    })
    expect(await execute(project.context, getTask, { id: 'bd-c3' })).toMatchObject({
      status: 'blocked',
      priority: 1000,
      labels: ['deferred'],
    })
  })

  it('a file that was cut off is refused with the line, and nothing is imported [import-cut-off]', async () => {
    await using project = await projectWith({ '.beads/issues.jsonl': `${JSONL}{"id":"bd-f6","ti` })
    await expect(execute(project.context, importTasks, { format: 'beads' })).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'path: line 7 is not a JSON object; nothing was imported',
    })
    expect(await execute(project.context, listTasks, { all: true })).toMatchObject({ total: 0 })
  })

  it('the reference to another tracker, authors and decisions are kept [import-beads-decision]', async () => {
    const issues = [
      {
        id: 'bd-1',
        title: 'Ship',
        external_ref: 'gh-9',
        created_by: 'kim',
        acceptance_criteria: '- [x] built\n- [ ] sent',
        comments: [{ author: 'lee', text: 'one\ntwo', created_at: '2026-01-03T00:00:00Z' }],
        dependencies: [{ depends_on_id: 'bd-3', type: 'blocks' }],
      },
      {
        id: 'bd-2',
        title: 'Use files',
        issue_type: 'decision',
        status: 'closed',
        description: '## Context\n\nSmall data.\n\n## Decision\n\nFiles.',
        labels: ['storage'],
      },
      {
        id: 'bd-3',
        title: 'Use SQLite',
        issue_type: 'decision',
        status: 'open',
        dependencies: [{ depends_on_id: 'bd-2', type: 'supersedes' }],
      },
    ]
    const lines = issues.map((issue) => JSON.stringify(issue)).join('\n')
    await using project = await projectWith({ '.beads/issues.jsonl': lines })
    const { context } = project
    const { remarks } = await execute(context, importFrom, { format: 'beads' })
    expect(remarks).toEqual(['bd-1 does not wait for beads:bd-3: a decision blocks no task'])
    const ship = await execute(context, getEntity, { id: '1' })
    expect(ship).toMatchObject({
      content:
        '## External reference\n\ngh-9\n\n## Comments\n\n- lee, 2026-01-03T00:00:00.000Z: one\n  two',
      properties: { acceptance_criteria: ['[x] built', 'sent'] },
      created_by: 'tester',
      trust: { imported_from: 'beads', imported_author: 'kim' },
    })
    expect(ship.trust.proved).toBeUndefined()
    expect(describeTrust(ship.trust)).toContain('author in beads: kim')
    expect(await execute(context, getEntity, { id: '2' })).toMatchObject({
      type: 'decision',
      content: 'Files.',
      tags: ['storage'],
      properties: { status: 'superseded', context: 'Small data.' },
      trust: { superseded_by: 3 },
    })
    const tasksOnly = await execute(context, importTasks, { format: 'beads' })
    expect(tasksOnly.remarks).toContain(
      '2 decisions and documents were left out: waymark import beads',
    )
  })

  it('a rehearsal says the same and changes nothing', async () => {
    await using project = await projectWith(files)
    const rehearsed = await execute(project.context, importTasks, {
      format: 'beads',
      dry_run: true,
    })
    expect(rehearsed).toMatchObject({ dry_run: true, created: 4 })
    expect(await project.context.store.events.latest()).toBe(0)
    const done = await execute(project.context, importTasks, { format: 'beads' })
    expect(done).toEqual({ ...rehearsed, dry_run: false })
  })

  it('a task that was closed there is closed here, with its event, once no agent holds it', async () => {
    await using project = await projectWith(files)
    const { context } = project
    await execute(context, importTasks, { format: 'beads' })
    await execute(context, updateTask, { id: 'bd-c3', status: 'todo' })
    await execute(project.as('ada'), claimTask, { id: 'bd-c3' })
    const since = await context.store.events.latest()
    write(project, '.beads/issues.jsonl', JSONL.replace('"deferred"', '"closed"'))
    expect(await execute(context, importTasks, { format: 'beads' })).toMatchObject({
      left_out: 1,
      remarks: expect.arrayContaining([
        expect.stringMatching(/^bd-c3 was left out: task \d+ is held by ada/),
      ]),
    })
    expect(await execute(context, getTask, { id: 'bd-c3' })).toMatchObject({
      status: 'in_progress',
      lease: { agent_name: 'ada' },
    })
    await execute(project.as('ada'), releaseTask, { id: 'bd-c3' })
    await execute(context, importTasks, { format: 'beads' })
    const { lease, status } = await execute(context, getTask, { id: 'bd-c3' })
    expect({ lease, status }).toEqual({ lease: undefined, status: 'done' })
    const { events } = await execute(context, listEvents, { since, types: ['task.done'] })
    expect(events).toMatchObject([{ data: { key: 'bd-c3' } }])
  })

  it('what was imported can be taken back, however old it was there', async () => {
    await using project = await projectWith(files)
    const { context } = project
    project.tick(1000)
    await execute(context, importTasks, { format: 'beads' })
    const undo = { author: 'tester', since: new Date(START + 500).toISOString() }
    const { entities } = await execute(context, undoChanges, undo)
    expect(entities.map(({ outcome }) => outcome)).toEqual([
      'deleted',
      'deleted',
      'deleted',
      'deleted',
    ])
    expect(await execute(context, listTasks, {})).toMatchObject({ total: 0 })
  })

  it('repeated, it changes nothing; what was edited here stays until it changes there', async () => {
    await using project = await projectWith(files)
    const { context } = project
    await execute(context, importTasks, { format: 'beads' })
    await execute(context, updateTask, { id: 'bd-c3', title: 'Ours', status: 'done' })
    expect(await execute(context, importTasks, { format: 'beads' })).toMatchObject({
      created: 0,
      updated: 0,
      unchanged: 4,
    })
    expect(await execute(context, getTask, { id: 'bd-c3' })).toMatchObject({ title: 'Ours' })
    write(project, '.beads/issues.jsonl', JSONL.replace('"Later"', '"Theirs"'))
    expect(await execute(context, importTasks, { format: 'beads' })).toMatchObject({
      created: 0,
      updated: 1,
      unchanged: 3,
    })
    expect(await execute(context, getTask, { id: 'bd-c3' })).toMatchObject({
      title: 'Theirs',
      status: 'blocked',
    })
    expect(await execute(context, listTasks, { all: true })).toMatchObject({ total: 4 })
  })
})

describe('Task Master', () => {
  const file = {
    master: {
      tasks: [
        {
          id: 1,
          title: 'Set up',
          description: 'Base',
          details: 'Use npm',
          testStrategy: 'run it',
          status: 'done',
          priority: 'high',
          dependencies: [],
          subtasks: [
            { id: 1, title: 'Part one', status: 'done', dependencies: [] },
            { id: 2, title: 'Part two', status: 'pending', dependencies: [1] },
          ],
        },
        { id: 2, title: 'Build', status: 'review', priority: 'medium', dependencies: [1, '1.2'] },
      ],
    },
    spike: { tasks: [{ id: 1, title: 'Try', status: 'pending' }] },
  }

  it('tasks, subtasks and tags come with their dependencies', async () => {
    await using project = await projectWith({
      '.taskmaster/tasks/tasks.json': JSON.stringify(file),
    })
    const { context } = project
    expect(await execute(context, importTasks, { format: 'task-master' })).toMatchObject({
      found: 5,
      created: 5,
      remarks: [],
    })
    expect(await execute(context, getTask, { id: 'TM-1' })).toMatchObject({
      content: 'Base\n\n## Details\n\nUse npm\n\n## Test strategy\n\nrun it',
      priority: 250,
      subtasks: [{ key: 'TM-1.1' }, { key: 'TM-1.2' }],
    })
    expect(await execute(context, getTask, { id: 'TM-1.2' })).toMatchObject({
      depends_on: [{ key: 'TM-1.1' }],
    })
    expect(await execute(context, getTask, { id: 'TM-2' })).toMatchObject({
      status: 'in_progress',
      labels: ['review'],
      depends_on: [{ key: 'TM-1' }, { key: 'TM-1.2' }],
    })
    expect(await execute(context, getTask, { id: 'TM-spike-1' })).toMatchObject({
      labels: ['spike'],
    })
  })
})

describe('what cannot be read', () => {
  it.each([
    [{ format: 'beads' }, { code: 'not_found', details: { kind: 'file' } }],
    [{ format: 'lodestar', path: 'bad.yaml' }, { code: 'invalid_input' }],
    [{ format: 'task_master', path: 'bad.yaml' }, { code: 'invalid_input' }],
    [{ format: 'beads', path: pathToOutside('/etc/passwd') }, {}],
    [{ format: 'jira' }, { code: 'invalid_input', details: { field: 'format' } }],
  ])('%o is refused', async (input, failure) => {
    await using project = await projectWith({ 'bad.yaml': 'a: [1, 2' })
    await expect(execute(project.context, importTasks, input)).rejects.toMatchObject(failure)
  })

  it('a task that is too large is left out and named, the others come', async () => {
    const lines = [
      { id: 'bd-1', title: 'x'.repeat(501) },
      { id: 'bd-2', title: 'fine' },
    ].map((issue) => JSON.stringify(issue))
    await using project = await projectWith({ '.beads/issues.jsonl': lines.join('\n') })
    expect(await execute(project.context, importTasks, { format: 'beads' })).toMatchObject({
      found: 2,
      created: 1,
      left_out: 1,
      remarks: [expect.stringMatching(/^bd-1 was left out: title/)],
    })
  })
})
