import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import type { Context } from '../../src/core/context.ts'
import { execute } from '../../src/core/execute.ts'
import { showBrief } from '../../src/brief/operations.ts'
import { projectStatus } from '../../src/project/operations.ts'
import { createRelation } from '../../src/relation/operations.ts'
import { importTasks } from '../../src/task/import/operations.ts'
import { claimTask, releaseTask, takeTask } from '../../src/task/lease/operations.ts'
import { createTask, createTasks, updateTask } from '../../src/task/operations.ts'
import { explainTask } from '../../src/task/queue/explain.ts'
import { blockedTasks, nextTask, readyTasks } from '../../src/task/queue/operations.ts'
import { editTasks } from '../../src/task/state/bulk.ts'
import { cancelTask, completeTask, reopenTask } from '../../src/task/state/operations.ts'
import { showTaskResult } from '../../src/task/show.ts'
import { showChangeToAgent } from '../../src/task/show-agent.ts'
import { print } from '../../src/surfaces/terminal/print.ts'
import { undoChanges } from '../../src/sync/history/undo.ts'
import { type Setup, setup } from '../setup.ts'
import { projectWith } from './import-project.ts'

const MINUTE = 60_000
const PIPE = { columns: 80, colors: false, interactive: false, now: Date.now }

const numbers = ({ tasks }: { readonly tasks: readonly { readonly number: number }[] }) =>
  tasks.map(({ number }) => number)

/** `#1 Guest checkout` with the parts 2 and 3. */
async function withEpic(): Promise<Setup> {
  const project = await setup()
  await execute(project.context, createTasks, {
    tasks: [
      { title: 'Guest checkout', key: 'epic', priority: 'urgent' },
      { title: 'Ask for the address', parent: 'epic' },
      { title: 'Send the receipt', parent: 'epic' },
    ],
  })
  return project
}

describe('a task with open parts', () => {
  it('is not ready, not next, not taken and not claimed; its parts are', async () => {
    await using project = await withEpic()
    const { context } = project
    expect(numbers(await execute(context, readyTasks, {}))).toEqual([2, 3])
    expect(await execute(context, nextTask, {})).toMatchObject({ task: { number: 2 } })
    expect((await execute(context, showBrief, {})).next).toBe('Claim #2.')
    expect(await execute(context, projectStatus, {})).toMatchObject({
      ready: 2,
      claimable: 2,
      blocked: 0,
    })
    expect(await execute(project.as('ann'), takeTask, {})).toMatchObject({
      claimed: { task: { number: 2 } },
    })
    await expect(execute(project.as('bob'), claimTask, { id: '1' })).rejects.toMatchObject({
      code: 'conflict',
      message:
        'task 1 has open parts, #2 Ask for the address, #3 Send the receipt; claim one of them',
      details: { reason: 'open_parts', subtasks: [{ number: 2 }, { number: 3 }] },
    })
    expect(numbers(await execute(context, blockedTasks, {}))).toEqual([])
    expect(await execute(context, explainTask, { id: '1' })).toMatchObject({
      ready: false,
      claimable: false,
      obstacles: [{ reason: 'open_parts', tasks: [{ number: 2 }, { number: 3 }] }],
    })
  })

  it('is ready to be closed when the last of them is closed, and the answer says so', async () => {
    await using project = await withEpic()
    const { context } = project
    expect(await execute(context, completeTask, { id: '2' })).toMatchObject({ ready_to_close: [] })
    const last = await execute(context, cancelTask, { id: '3' })
    expect(last.ready_to_close).toMatchObject([{ number: 1 }])
    expect(await print(showTaskResult(last), PIPE)).toContain('ready to close: #1')
    expect(await print(showChangeToAgent(last), PIPE)).toContain(
      'ready to close: #1 Guest checkout (todo)',
    )
    expect(numbers(await execute(context, readyTasks, {}))).toEqual([1])
    expect(await execute(context, explainTask, { id: '1' })).toMatchObject({
      claimable: true,
      parts: { open: 0, closed: 2 },
    })
    await execute(context, reopenTask, { id: '3' })
    expect(numbers(await execute(context, readyTasks, {}))).toEqual([3])
  })

  it('waits also for a part that is added later, and no longer for one that is taken away', async () => {
    await using project = await setup()
    const { context } = project
    for (const title of ['Whole', 'Part']) await execute(context, createTask, { title })
    await execute(context, createRelation, { source: '2', type: 'subtask_of', target: '1' })
    expect(numbers(await execute(context, readyTasks, {}))).toEqual([2])
    await execute(context, editTasks, { edits: [{ id: '2', action: 'delete' }] })
    expect(numbers(await execute(context, readyTasks, {}))).toEqual([1])
    expect(await context.store.consistency.indexErrors()).toEqual([])
  })
})

describe('a task whose status says blocked', () => {
  it('cannot be claimed, and stands among the blocked with the reason', async () => {
    await using project = await setup()
    const { context } = project
    await execute(context, createTask, { title: 'Needs a key', status: 'blocked' })
    await execute(context, createTask, { title: 'Free' })
    expect(numbers(await execute(context, readyTasks, {}))).toEqual([2])
    await expect(execute(context, claimTask, { id: '1' })).rejects.toMatchObject({
      message: 'task 1 is blocked: its status says so; set its status to todo to claim it',
      details: { reason: 'blocked', blockers: [] },
    })
    const blocked = await execute(context, blockedTasks, {})
    expect(blocked).toMatchObject({ tasks: [{ number: 1, blockers: [] }], total: 1 })
    expect(await print(blockedTasks.show(blocked), PIPE)).toContain('its status says so')
    expect(await execute(context, explainTask, { id: '1' })).toMatchObject({
      claimable: false,
      obstacles: [{ reason: 'blocked', message: expect.stringContaining('its status') }],
    })
    await execute(context, updateTask, { id: '1', status: 'todo' })
    expect(numbers(await execute(context, readyTasks, {}))).toEqual([1, 2])
    await execute(context, updateTask, { id: '2', status: 'blocked' })
    expect(numbers(await execute(context, readyTasks, {}))).toEqual([1])
    expect(await context.store.consistency.indexErrors()).toEqual([])
  })
})

describe('a task that was released with a reason', () => {
  async function released(reason?: string): Promise<Setup> {
    const project = await setup()
    await execute(project.context, createTask, { title: 'Odd' })
    await execute(project.as('ann'), takeTask, {})
    await execute(project.as('ann'), releaseTask, { id: '1', reason })
    return project
  }

  it('is not given to the same agent again at once, but to any other', async () => {
    await using project = await released('needs a designer')
    const ann = project.as('ann')
    expect(await execute(ann, takeTask, {})).toEqual({ claimed: null })
    expect(await execute(ann, nextTask, {})).toEqual({ task: null })
    expect(await execute(ann, readyTasks, {})).toEqual({ tasks: [], total: 0 })
    expect(await execute(ann, showBrief, {})).toMatchObject({
      ready: [],
      next: 'Nothing else is ready: you gave back #1; claim it by its number if you can go on.',
    })
    expect(await execute(ann, explainTask, { id: '1' })).toMatchObject({
      ready: true,
      claimable: false,
      obstacles: [
        { reason: 'released', message: expect.stringMatching(/needs a designer.*by its number/) },
      ],
    })
    expect(await execute(project.as('bob'), explainTask, { id: '1' })).toMatchObject({
      claimable: true,
    })
    expect(await execute(project.as('bob'), takeTask, {})).toMatchObject({
      claimed: { task: { number: 1, last_release: { reason: 'needs a designer' } } },
    })
  })

  it('is nothing to undo: the claim was given back', async () => {
    await using project = await released('needs a designer')
    const since = '2026-11-15T00:00:00Z'
    expect(await execute(project.context, undoChanges, { author: 'ann', since })).toMatchObject({
      entities: [],
      authors: ['ann', 'tester'],
    })
  })

  it('may be claimed by the same agent by its number', async () => {
    await using project = await released('needs a designer')
    expect(await execute(project.as('ann'), claimTask, { id: '1' })).toMatchObject({
      lease: { fence: 2 },
    })
  })

  it('is offered again after half an hour, or after another agent had it', async () => {
    await using project = await released('needs a designer')
    project.tick(31 * MINUTE)
    expect(await execute(project.as('ann'), nextTask, {})).toMatchObject({ task: { number: 1 } })
    await using other = await released('needs a designer')
    other.tick(MINUTE)
    await execute(other.as('bob'), takeTask, {})
    other.tick(16 * MINUTE)
    expect(await execute(other.as('ann'), takeTask, {})).toMatchObject({
      claimed: { task: { number: 1 } },
    })
  })

  it('is offered again once what it waited for is done', async () => {
    await using project = await setup()
    const ann = project.as('ann')
    for (const title of ['Parse', 'Tokenize']) await execute(ann, createTask, { title })
    await execute(ann, claimTask, { id: '1' })
    await execute(ann, updateTask, { id: '1', add_depends_on: ['2'] })
    await execute(ann, releaseTask, { id: '1', reason: 'needs the tokens first' })
    expect(await execute(ann, takeTask, {})).toMatchObject({ claimed: { task: { number: 2 } } })
    expect(await execute(ann, completeTask, { id: '2' })).toMatchObject({
      newly_ready: [{ number: 1 }],
      suggested_next: { number: 1 },
    })
  })

  it('without a reason is offered again at once', async () => {
    await using project = await released()
    expect(await execute(project.as('ann'), takeTask, {})).toMatchObject({
      claimed: { task: { number: 1 } },
    })
  })
})

describe('a task in progress that is assigned to another', () => {
  it('is not handed out, except to its assignee, and may be claimed by its number', async () => {
    await using project = await setup()
    await execute(project.context, createTask, {
      title: 'Theirs',
      status: 'in_progress',
      assignee: 'bo',
    })
    const ann = project.as('ann')
    expect(await execute(ann, readyTasks, {})).toEqual({ tasks: [], total: 0 })
    expect(await execute(ann, takeTask, {})).toEqual({ claimed: null })
    expect(await execute(ann, explainTask, { id: '1' })).toMatchObject({
      claimable: false,
      obstacles: [{ reason: 'assigned', message: expect.stringContaining('bo') }],
    })
    expect(await execute(project.as('bo'), nextTask, {})).toMatchObject({ task: { number: 1 } })
    expect(await execute(ann, claimTask, { id: '1' })).toMatchObject({ lease: { fence: 1 } })
  })
})

describe('a task that is assigned to another', () => {
  it('is not handed out, except to its assignee or by their name [assigned-to-another]', async () => {
    await using project = await setup()
    await execute(project.context, createTask, { title: 'Theirs', assignee: 'bo', priority: 0 })
    await execute(project.context, createTask, { title: 'Anyone' })
    const ann = project.as('ann')
    expect(await execute(ann, nextTask, {})).toMatchObject({ task: { number: 2 } })
    expect(numbers(await execute(ann, readyTasks, {}))).toEqual([1, 2])
    expect(await execute(ann, readyTasks, { mine: true, limit: 1 })).toMatchObject({
      tasks: [{ number: 2 }],
      total: 1,
    })
    expect((await execute(ann, showBrief, {})).ready).toMatchObject([{ number: 2 }])
    expect(await execute(ann, explainTask, { id: '1' })).toMatchObject({
      ready: true,
      claimable: false,
      obstacles: [{ reason: 'assigned', message: expect.stringContaining('bo') }],
    })
    expect(await execute(ann, takeTask, {})).toMatchObject({ claimed: { task: { number: 2 } } })
    expect(await execute(ann, completeTask, { id: '2' })).toMatchObject({ suggested_next: null })
    expect(await execute(ann, takeTask, {})).toEqual({ claimed: null })
    expect((await execute(ann, showBrief, {})).next).toBe(
      'Nothing is ready for you: #1 is assigned to others; claim one by its number to take it over.',
    )
    expect(await execute(project.as('Bo'), takeTask, {})).toMatchObject({
      claimed: { task: { number: 1 } },
    })
    await execute(project.as('Bo'), releaseTask, { id: '1' })
    expect(await execute(ann, takeTask, { assignee: 'bo' })).toMatchObject({
      claimed: { task: { number: 1 } },
    })
  })

  it('can be claimed by its number, and the answer says whose it is', async () => {
    await using project = await setup()
    await execute(project.context, createTask, { title: 'Theirs', assignee: 'bo' })
    const { lease, warnings } = await execute(project.as('ann'), claimTask, { id: '1' })
    expect([lease.fence, warnings]).toEqual([
      1,
      [{ code: 'assigned', message: 'task 1 is assigned to bo; agree with them, or release it' }],
    ])
    await execute(project.as('ann'), releaseTask, { id: '1' })
    const own = await execute(project.as('bo'), claimTask, { id: '1' })
    expect(own).not.toHaveProperty('warnings')
  })

  it('is handed out to the agents of the person that it is assigned to', async () => {
    await using project = await setup()
    const person = { agent: { name: 'Kim Lee', surface: 'cli', assumed: true } } as const
    const kim = project.as('Kim Lee', person)
    execFileSync('git', ['config', 'user.name', 'Kim Lee'], { cwd: project.directory })
    for (const assignee of ['bo', 'kim', 'Kim Lee', 'owner']) {
      await execute(kim, createTask, { title: `For ${assignee}`, assignee })
    }
    const codex = project.as('codex')
    expect(await execute(codex, takeTask, {})).toMatchObject({ claimed: { task: { number: 2 } } })
    await execute(codex, releaseTask, { id: '2' })
    const mine = async (agent: Context) => numbers(await execute(agent, readyTasks, { mine: true }))
    expect(await mine(codex)).toEqual([2, 3, 4])
    expect(await mine(project.as('claude-code (bo)'))).toEqual([1])
    expect(await mine(kim)).toEqual([2, 3, 4])
    expect(await execute(kim, takeTask, {})).toMatchObject({ claimed: { task: { number: 2 } } })
  })
})

it('of imported beads only work is ready: no epic, nothing blocked, deferred, pinned or begun by another', async () => {
  const issues = [
    { id: 'a', title: 'Epic', issue_type: 'epic', priority: 0 },
    { id: 'a.1', title: 'Part', dependencies: [{ depends_on_id: 'a', type: 'parent-child' }] },
    { id: 'b', title: 'Blocked', status: 'blocked', priority: 0 },
    { id: 'c', title: 'Deferred', status: 'deferred', priority: 0 },
    { id: 'd', title: 'Put off', status: 'deferred', defer_until: '2027-01-01T00:00:00Z' },
    { id: 'e', title: 'Begun', status: 'in_progress', assignee: 'bo', priority: 0 },
    { id: 'f', title: 'Pinned', status: 'pinned', priority: 0 },
  ]
  const lines = issues.map((issue) => JSON.stringify(issue)).join('\n')
  await using project = await projectWith({ '.beads/issues.jsonl': lines })
  await execute(project.context, importTasks, { format: 'beads' })
  const { tasks } = await execute(project.context, readyTasks, {})
  expect(tasks.map(({ key }) => key)).toEqual(['a.1'])
  expect(numbers(await execute(project.context, blockedTasks, {}))).toHaveLength(3)
})
