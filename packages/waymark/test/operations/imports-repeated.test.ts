import { Connection } from '@waymark/sqlite'
import { describe, expect, it, vi } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { listEvents } from '../../src/event/operations.ts'
import { listGraph } from '../../src/graph/export.ts'
import { getEntity, updateEntity } from '../../src/entity/operations.ts'
import { checkStore } from '../../src/integrity/operations.ts'
import { importTasks } from '../../src/task/import/operations.ts'
import { verifyTask } from '../../src/task/state/operations.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
import { listTasks } from '../../src/task/queue/list.ts'
import { getTask, updateTask } from '../../src/task/operations.ts'
import { createTeam } from '../replica/clones.ts'
import { projectWith, write } from './import-project.ts'

const FILE = '.beads/issues.jsonl'

type Issue = Readonly<Record<string, unknown>>

const BLOCKED: Issue = {
  id: 'bd-1',
  title: 'Second',
  status: 'open',
  dependencies: [{ depends_on_id: 'bd-2', type: 'blocks' }],
}
const BLOCKER: Issue = { id: 'bd-2', title: 'First', status: 'open' }

function toLines(...issues: readonly Issue[]): string {
  return issues.map((issue) => `${JSON.stringify(issue)}\n`).join('')
}

describe('an import that is repeated', () => {
  it('leaves a dependency away that was removed here, until one of the two has changed there', async () => {
    await using project = await projectWith({ [FILE]: toLines(BLOCKED, BLOCKER) })
    const { context } = project
    const blockers = async () => {
      await execute(context, importTasks, { format: 'beads' })
      const { depends_on } = await execute(context, getTask, { id: 'bd-1' })
      return depends_on?.map(({ key }) => key) ?? []
    }
    expect(await blockers()).toEqual(['bd-2'])
    await execute(context, updateTask, { id: 'bd-1', remove_depends_on: ['bd-2'] })
    expect(await blockers()).toEqual([])
    write(project, FILE, toLines(BLOCKED, { ...BLOCKER, title: 'First of all' }))
    expect(await blockers()).toEqual(['bd-2'])
  })

  it('adds a dependency on what was not there the last time', async () => {
    await using project = await projectWith({ [FILE]: toLines(BLOCKED) })
    const { context } = project
    await execute(context, importTasks, { format: 'beads' })
    write(project, FILE, toLines(BLOCKED, BLOCKER))
    await execute(context, importTasks, { format: 'beads' })
    const { depends_on } = await execute(context, getTask, { id: 'bd-1' })
    expect(depends_on).toMatchObject([{ key: 'bd-2' }])
  })

  it('asks for all targets that are not in the file at once [imports-repeated-targets]', async () => {
    const dependencies = Array.from({ length: 30 }, (_, at) => ({ depends_on_id: `bd-x${at}` }))
    const tasks = [1, 2].map((at) => ({ ...BLOCKED, id: `bd-${at}`, dependencies }))
    await using project = await projectWith({ [FILE]: toLines(...tasks) })
    const spy = vi.spyOn(Connection.prototype, 'all')
    const { remarks } = await execute(project.context, importTasks, { format: 'beads' })
    const scans = spy.mock.calls.filter(([sql]) => sql.includes(`->> '$.external_ref' IN`))
    spy.mockRestore()
    expect(scans).toHaveLength(1)
    expect(remarks).toHaveLength(60)
    expect(remarks[0]).toBe('bd-1 blocked_by beads:bd-x0, which is not there')
  })

  it('goes on where a long one was stopped, with all dependencies [imports-repeated-parts]', async () => {
    const count = 510
    const issues = Array.from({ length: count }, (_, at) => ({
      ...BLOCKED,
      id: `bd-${at}`,
      dependencies: [{ depends_on_id: `bd-${(at + 300) % count}`, type: 'related' }],
    }))
    await using project = await projectWith({ [FILE]: toLines(...issues) })
    const caller = new AbortController()
    const stopped = project.as('tester', {
      signal: caller.signal,
      progress: (done) => {
        if (done > 505) caller.abort(new DOMException('the time is over', 'TimeoutError'))
      },
    })
    await expect(execute(stopped, importTasks, { format: 'beads' })).rejects.toMatchObject({
      code: 'timeout',
      message: 'the import took too long; 500 of 510 are imported: import again for the rest',
    })
    const { context } = project
    const counts = { found: count, created: 10, updated: 0, unchanged: 500, left_out: 0 }
    const again = { format: 'beads', idempotency_key: 'k' }
    expect(await execute(context, importTasks, again)).toMatchObject(counts)
    expect(await execute(context, importTasks, again)).toMatchObject(counts)
    const { relations } = await execute(context, listGraph, { limit: 1_000 })
    expect(relations).toHaveLength(count)
    const { events } = await execute(context, listEvents, { types: ['tasks.imported'] })
    expect(events).toMatchObject([{ data: counts }])
  })

  const prd = { source: 'PRD.md', refs: [{ anchor: 'goals' }] }

  it('empties what was emptied there, and nothing that is not known there', async () => {
    const issue = { ...BLOCKER, defer_until: '2030-01-01T00:00:00Z', assignee: 'kim', priority: 1 }
    await using project = await projectWith({ [FILE]: toLines(issue) })
    const { context } = project
    await execute(context, importTasks, { format: 'beads' })
    await execute(context, updateTask, { id: 'bd-2', locks: ['src/'] })
    await execute(context, updateEntity, { id: '1', properties: { prd } })
    write(project, FILE, toLines(BLOCKER))
    await execute(context, importTasks, { format: 'beads' })
    const { properties } = await execute(context, getEntity, { id: '1' })
    const { defer_until, assignee, priority, locks } = properties
    expect({ defer_until, assignee, locks, prd: properties['prd'] }).toMatchObject({
      defer_until: undefined,
      assignee: undefined,
      locks: ['src/'],
      prd,
    })
    expect(priority).not.toBe(250)
  })
})

it('what was verified here is not what was done again there', async () => {
  const done = (day: number) =>
    `tasks: { T1: { title: One, status: done, completed_at: '2026-01-0${day}T00:00:00.000Z' } }`
  await using project = await projectWith({ '.lodestar/spec.yaml': done(1) })
  const { context } = project
  await execute(context, importTasks, { format: 'lodestar' })
  await execute(context, verifyTask, { id: 'T1' })
  write(project, '.lodestar/spec.yaml', done(2))
  await execute(context, importTasks, { format: 'lodestar' })
  expect(await execute(context, getTask, { id: 'T1' })).toMatchObject({ verified: false })
  expect(await execute(context, checkStore, {})).toMatchObject({ ok: true })
})

it('a task of Backlog.md that is changed after its end has not come to another one', async () => {
  const file = (title: string, day: number) =>
    `---\nid: task-1\ntitle: ${title}\nstatus: Done\nupdated_date: '2026-01-0${day}'\n---\n`
  const path = 'backlog/tasks/task-1.md'
  await using project = await projectWith({ [path]: file('One', 1) })
  const { context } = project
  await execute(context, importTasks, { format: 'backlog' })
  await execute(context, verifyTask, { id: 'task-1' })
  write(project, path, file('First', 2))
  await execute(context, importTasks, { format: 'backlog' })
  const { title, properties } = await execute(context, getEntity, { id: '1' })
  expect({ title, properties }).toMatchObject({
    title: 'First',
    properties: { verified_at: expect.any(String) },
  })
})

it('a word about the end that cannot be stored is left away, and the task is not', async () => {
  const closed = { ...BLOCKER, status: 'closed', close_reason: 'shipped \ud800' }
  const long = { ...BLOCKED, status: 'closed', close_reason: 'x'.repeat(5_000), dependencies: [] }
  await using project = await projectWith({ [FILE]: toLines(closed, long) })
  const { context } = project
  const { created, remarks } = await execute(context, importTasks, { format: 'beads' })
  expect({ created, remarks }).toEqual({
    created: 2,
    remarks: [
      expect.stringMatching(/^bd-2 came without this: close_reason: /),
      expect.stringMatching(/^bd-1 came without this: close_reason: /),
    ],
  })
  expect(await execute(context, checkStore, {})).toMatchObject({ ok: true })
})

describe('clones that imported the same tasks before they met', () => {
  it('have each once after the next import', async () => {
    await using team = createTeam()
    const [ada, bo] = [await team.clone('ada'), await team.clone('bo')]
    for (const clone of [ada, bo]) {
      write(clone, FILE, toLines(BLOCKED, BLOCKER))
      await clone.run(importTasks, { format: 'beads' })
    }
    await ada.sync()
    await bo.sync()
    await ada.sync()
    expect(await ada.run(listTasks, {})).toMatchObject({ total: 4 })
    const again = await ada.run(importTasks, { format: 'beads' })
    expect(again.remarks).toHaveLength(2)
    expect(again.remarks[0]).toMatch(/^task \d+ was cancelled: it is task \d+ once more$/)
    const { tasks } = await ada.run(listTasks, { statuses: ['todo', 'in_progress'] })
    expect(new Set(tasks.map(({ key }) => key))).toEqual(new Set(['bd-1', 'bd-2']))
    expect((await ada.run(importTasks, { format: 'beads' })).remarks).toEqual([])
    await ada.sync()
    await bo.sync()
    expect((await bo.run(importTasks, { format: 'beads' })).remarks).toEqual([])
    expect(await bo.run(listTasks, { statuses: ['todo', 'in_progress'] })).toMatchObject({
      total: 2,
    })
  })

  it.each(['in_progress', 'blocked'])('are told of one that somebody holds: %s', async (status) => {
    await using team = createTeam()
    const [ada, bo] = [await team.clone('ada'), await team.clone('bo')]
    for (const clone of [ada, bo]) {
      write(clone, FILE, toLines(BLOCKER))
      await clone.run(importTasks, { format: 'beads' })
    }
    await ada.sync()
    await bo.sync()
    const { tasks } = await bo.run(listTasks, { statuses: ['todo', 'in_progress'] })
    const later = tasks.toSorted((one, other) => one.number - other.number)[1]
    await bo.run(claimTask, { id: String(later?.number) })
    await bo.run(updateTask, { id: String(later?.number), status })
    const { remarks } = await bo.run(importTasks, { format: 'beads' })
    expect(remarks).toEqual([
      'task 2 stays as it is, but it is task 1 once more: cancel one of them',
    ])
    expect(await bo.run(listTasks, { statuses: ['todo', 'in_progress', 'blocked'] })).toMatchObject(
      {
        total: 2,
      },
    )
  })
})
