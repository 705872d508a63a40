import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { createEntity, deleteEntity, listEntities } from '../../src/entity/operations.ts'
import { supersedeDecision } from '../../src/decision/operations.ts'
import { exportTo, importFrom } from '../../src/exchange/operations.ts'
import { createRelation, listRelations } from '../../src/relation/operations.ts'
import { createTask, getTask, updateTask } from '../../src/task/operations.ts'
import { cancelTask, completeTask } from '../../src/task/state/operations.ts'
import { type Setup, setup } from '../setup.ts'
import { write } from './import-project.ts'

/** Epics, dependencies, done, blocked, deferred, cancelled, comments, labels and criteria, decisions and notes. */
async function fill({ context }: Setup): Promise<void> {
  const add = (input: object) => execute(context, createTask, input)
  await add({ title: 'Checkout', task_type: 'epic', key: 'bd-1', priority: 'high' })
  await add({
    title: 'Cart: "items", ../../etc & more',
    parent: '1',
    content:
      'Keep it.\n\n## Design\n\nA list.\n\n## Comments\n\n- lee, 2026-01-03T00:00:00.000Z: one\n  two\n- bo, 2026-01-04T10:30:15.250Z: fine',
    labels: ['web', 'cart'],
    acceptance_criteria: ['[x] adds', 'removes #2', '- odd'],
    due_date: '2026-12-01',
    assignee: 'kim',
    priority: 'low',
  })
  await add({ title: 'Pay', parent: '1', depends_on: ['2'], status: 'in_progress', assignee: 'bo' })
  await add({ title: 'Wait', status: 'blocked', labels: ['deferred'] })
  await add({ title: 'Stuck', status: 'blocked', content: '## Only a heading\n\n```\n## no\n```' })
  await add({ title: 'Later', defer_until: '2030-01-01T00:00:00.000Z' })
  await add({ title: 'Shipped', key: 'task-3', content: 'Done with it.' })
  await execute(context, completeTask, { id: '7', reason: 'works' })
  await add({ title: 'Dropped' })
  await execute(context, cancelTask, { id: '8' })
  await add({ title: 'Found', labels: ['draft'], status: 'blocked', discovered_from: '2' })
  const create = (input: object) => execute(context, createEntity, input)
  await create({
    type: 'decision',
    title: 'Files',
    content: 'One file.\n\n## Alternatives\n\nA server.',
    properties: { status: 'accepted', context: 'Small data.', consequences: ['No server'] },
  })
  await create({ type: 'decision', title: 'SQLite', properties: { status: 'accepted' } })
  await execute(context, supersedeDecision, { old: '10', new: '11' })
  await create({
    type: 'note',
    title: 'Style',
    content: 'Be short.',
    tags: ['team'],
    properties: { note_type: 'guide' },
  })
  await execute(context, createRelation, { source: '3', target: '11', type: 'implements' })
}

const IDENTITY = ['id', 'number', 'external_ref', 'external_hash', 'superseded_by', 'completed_by']

/** Everything that a user would notice, by title: fields and relations, but not ids, numbers and provenance. */
async function describeAll(
  { context }: Setup,
  leaveOut: readonly string[] = [],
): Promise<Record<string, unknown>> {
  const { entities } = await execute(context, listEntities, { limit: 100 })
  const known = new Set([...IDENTITY, ...leaveOut])
  const all: Record<string, unknown> = {}
  for (const { id, type, title, content, tags, properties, created_at } of entities) {
    const { outgoing } = await execute(context, listRelations, { id })
    all[title] = {
      type,
      content,
      tags: tags.toSorted(),
      created_at,
      properties: Object.fromEntries(
        Object.entries(properties).filter(([name]) => !known.has(name)),
      ),
      relations: outgoing
        .map((relation) => `${relation.type} ${relation.target.title}`)
        .filter((relation) => !leaveOut.includes(relation.split(' ')[0] ?? ''))
        .toSorted(),
    }
  }
  return all
}

/** Exports from one project, imports the file or folder into an empty one. */
async function copy(from: Setup, to: Setup, path: string, format: string): Promise<void> {
  const files = readFilesIn(join(from.directory, path))
  for (const [name, text] of files) write(to, join(path, name), text)
  const { left_out, remarks } = await execute(to.context, importFrom, { format, path })
  expect({ left_out, remarks }).toEqual({ left_out: 0, remarks: [] })
}

function readFilesIn(place: string): readonly (readonly [string, string])[] {
  if (!existsSync(place)) return []
  try {
    const names = readdirSync(place, { recursive: true, encoding: 'utf8' })
    return names
      .filter((name) => name.endsWith('.md'))
      .map((name) => [name, readFileSync(join(place, name), 'utf8')])
  } catch {
    return [['', readFileSync(place, 'utf8')]]
  }
}

describe('an export to beads', () => {
  it('comes back as it was, and what has no place there is named [export-beads-round-trip]', async () => {
    await using project = await setup()
    await using other = await setup()
    await fill(project)
    const done = await execute(project.context, exportTo, { format: 'beads' })
    expect(done).toEqual({
      format: 'beads',
      path: '.beads/issues.jsonl',
      dry_run: false,
      tasks: 9,
      decisions: 2,
      notes: 0,
      files: 1,
      remarks: ['a note has no place in beads', 'field completed_by has no place in beads'],
    })
    await copy(project, other, '.beads/issues.jsonl', 'beads')
    const { Style: _, ...held } = await describeAll(project)
    expect(await describeAll(other)).toEqual(held)
    const again = await execute(project.context, importFrom, { format: 'beads' })
    expect(again).toMatchObject({ created: 0, left_out: 0 })
    expect(await describeAll(project)).toEqual({ ...held, Style: _ })
  })

  it('replaces no file without force, and follows no link [export-beads-refused]', async () => {
    await using project = await setup()
    const { context, directory } = project
    write(project, '.beads/issues.jsonl', 'mine\n')
    for (const dry_run of [true, false]) {
      await expect(execute(context, exportTo, { format: 'beads', dry_run })).rejects.toMatchObject({
        code: 'conflict',
        message: 'path: the file exists; pass force to replace it',
      })
    }
    expect(readFileSync(join(directory, '.beads/issues.jsonl'), 'utf8')).toBe('mine\n')
    await execute(context, exportTo, { format: 'beads', force: true })
    expect(readFileSync(join(directory, '.beads/issues.jsonl'), 'utf8')).toBe('')
    for (const path of ['.git/config', '../out.jsonl', 'none/a.jsonl']) {
      await expect(execute(context, exportTo, { format: 'beads', path })).rejects.toThrow('path: ')
    }
  })
})

it('two exports of one project are not taken for one, and the import says so [export-twice-imported]', async () => {
  await using project = await setup()
  await using other = await setup()
  await execute(project.context, createTask, { title: 'One' })
  await execute(project.context, createTask, { title: 'Two' })
  await execute(project.context, exportTo, { format: 'beads', path: 'issues.jsonl' })
  await execute(project.context, exportTo, { format: 'backlog' })
  for (const path of ['issues.jsonl', 'backlog'])
    cpSync(join(project.directory, path), join(other.directory, path), { recursive: true })
  const take = async (format: string, path: string) =>
    (await execute(other.context, importFrom, { format, path })).remarks
  expect(await take('beads', 'issues.jsonl')).toEqual([])
  expect(await take('backlog', 'backlog')).toEqual([
    '2 titles were imported from another tool before, as #1, #2; if it is the same project, delete one of each',
  ])
  expect(await take('backlog', 'backlog')).toEqual([])
})

describe('an export to Backlog.md', () => {
  it('comes back as it was, and what has no place there is named [export-backlog-round-trip]', async () => {
    await using project = await setup()
    await using other = await setup()
    await fill(project)
    const done = await execute(project.context, exportTo, { format: 'backlog.md' })
    expect(done).toMatchObject({ path: 'backlog', tasks: 9, decisions: 2, notes: 1, files: 12 })
    expect(new Set(done.remarks)).toEqual(
      new Set([
        'field task_type has no place in Backlog.md',
        'field defer_until has no place in Backlog.md',
        'field completed_by has no place in Backlog.md',
        'a relation discovered_from has no place in Backlog.md',
        'a relation supersedes has no place in Backlog.md',
        'a relation implements has no place in Backlog.md',
      ]),
    )
    const names = readdirSync(join(project.directory, 'backlog'), { recursive: true })
    expect(names).toContain(join('tasks', 'task-2 - cart-items-etc-more.md'))
    expect(names).toContain(join('drafts', 'draft-9 - found.md'))
    await copy(project, other, 'backlog', 'backlog')
    const lost = ['task_type', 'defer_until', 'discovered_from', 'supersedes', 'implements']
    expect(await describeAll(other, lost)).toEqual(await describeAll(project, lost))
    const again = await execute(project.context, importFrom, { format: 'backlog' })
    expect(again).toMatchObject({ created: 0, left_out: 0 })
  })

  it('repeated, it follows new titles and deletions, and leaves files of others alone [export-backlog-repeated]', async () => {
    await using project = await setup()
    const { context, directory } = project
    const tasks = () => readdirSync(join(directory, 'backlog/tasks')).toSorted()
    await execute(context, createTask, { title: 'One' })
    await execute(context, exportTo, { format: 'backlog' })
    expect(tasks()).toEqual(['task-1 - one.md'])
    await execute(context, updateTask, { id: '1', title: 'First' })
    write(project, 'backlog/tasks/task-7 - Theirs.md', '---\nid: task-7\ntitle: Theirs\n---\n')
    await execute(context, exportTo, { format: 'backlog', dry_run: true })
    expect(tasks()).toEqual(['task-1 - one.md', 'task-7 - Theirs.md'])
    await execute(context, exportTo, { format: 'backlog' })
    expect(tasks()).toEqual(['task-1 - first.md', 'task-7 - Theirs.md'])
    // Backlog.md has written it since: its fields are its own.
    const own = join(directory, 'backlog/tasks/task-1 - first.md')
    writeFileSync(own, readFileSync(own, 'utf8').replace(/^waymark:\n(?: {2}.*\n)+/m, ''))
    await expect(execute(context, exportTo, { format: 'backlog' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('tasks/task-1 - first.md was not written by an export'),
    })
    writeFileSync(own, readFileSync(own, 'utf8').replace('title: First', 'title: Edited'))
    expect(await execute(context, importFrom, { format: 'backlog' })).toMatchObject({
      created: 1,
      updated: 1,
    })
    expect(await execute(context, getTask, { id: '1' })).toMatchObject({ title: 'Edited' })
    // What was imported is written back without being asked twice, unless a part of it had no place here.
    await execute(context, exportTo, { format: 'backlog' })
    expect(tasks()).toEqual(['task-1 - edited.md', 'task-7 - theirs.md'])
    const edited = join(directory, 'backlog/tasks/task-1 - edited.md')
    const ranked = readFileSync(edited, 'utf8').replace('title:', 'ordinal: 1000\ntitle:')
    writeFileSync(edited, ranked)
    await execute(context, importFrom, { format: 'backlog' })
    await expect(execute(context, exportTo, { format: 'backlog' })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/would not come back as it is: .*ordinal.*pass force/),
    })
    expect(readFileSync(edited, 'utf8')).toBe(ranked)
    await execute(context, exportTo, { format: 'backlog', force: true })
  })

  it('leaves alone a file of any size that is not its own [export-backlog-huge]', async () => {
    await using project = await setup()
    const { context, directory } = project
    await execute(context, createTask, { title: 'One' })
    write(project, 'backlog/tasks/task-9 - huge.md', '')
    const huge = join(directory, 'backlog/tasks/task-9 - huge.md')
    // More than fits in memory as one text.
    truncateSync(huge, 3 * 1024 ** 3)
    expect(await execute(context, exportTo, { format: 'backlog' })).toMatchObject({ files: 1 })
    expect(statSync(huge).size).toBe(3 * 1024 ** 3)
  })

  it('replaces and removes no file that was edited since [export-backlog-edited]', async () => {
    await using project = await setup()
    const { context, directory } = project
    await execute(context, createTask, { title: 'One' })
    await execute(context, createTask, { title: 'Two' })
    await execute(context, exportTo, { format: 'backlog' })
    const place = (name: string) => join(directory, 'backlog/tasks', name)
    const edit = (name: string) => appendFileSync(place(name), '\n## Notes\n\nBy hand.\n')
    edit('task-2 - two.md')
    await execute(context, deleteEntity, { id: '2' })
    await execute(context, exportTo, { format: 'backlog' })
    expect(readFileSync(place('task-2 - two.md'), 'utf8')).toContain('By hand.')
    await execute(context, createEntity, { type: 'decision', title: 'Files' })
    await execute(context, exportTo, { format: 'backlog' })
    const decision = '../decisions/decision-3 - files.md'
    const written = readFileSync(place(decision), 'utf8')
    edit(decision)
    await expect(execute(context, exportTo, { format: 'backlog' })).rejects.toMatchObject({
      details: { path: 'decisions/decision-3 - files.md' },
    })
    writeFileSync(place(decision), written)
    edit('task-1 - one.md')
    await expect(execute(context, exportTo, { format: 'backlog' })).rejects.toMatchObject({
      code: 'conflict',
      details: { path: 'tasks/task-1 - one.md' },
    })
    expect(readFileSync(place('task-1 - one.md'), 'utf8')).toContain('By hand.')
    await execute(context, importFrom, { format: 'backlog' })
    expect(await execute(context, getTask, { id: '1' })).toMatchObject({
      content: expect.stringContaining('By hand.'),
    })
    await execute(context, exportTo, { format: 'backlog' })
    const windows = readFileSync(place('task-1 - one.md'), 'utf8').replaceAll('\n', '\r\n')
    expect(windows).toContain('By hand.')
    // As a checkout by Git on Windows may leave it.
    writeFileSync(place('task-1 - one.md'), windows)
    await execute(context, exportTo, { format: 'backlog' })
  })

  it.skipIf(process.platform === 'win32')(
    'follows no link, so a loop of them ends, and looks into folders [export-backlog-links]',
    async () => {
      await using project = await setup()
      const { context, directory } = project
      await execute(context, createTask, { title: 'One' })
      await execute(context, exportTo, { format: 'backlog' })
      const tasks = join(directory, 'backlog/tasks')
      mkdirSync(join(tasks, 'old'))
      renameSync(join(tasks, 'task-1 - one.md'), join(tasks, 'old/task-1 - one.md'))
      for (const name of ['a', 'b', 'c']) symlinkSync('.', join(tasks, name))
      await execute(context, exportTo, { format: 'backlog' })
      expect(readdirSync(tasks).toSorted()).toEqual(['a', 'b', 'c', 'old', 'task-1 - one.md'])
      expect(readdirSync(join(tasks, 'old'))).toEqual([])
    },
  )

  it.skipIf(process.platform === 'win32')('leads nowhere outside of the project', async () => {
    await using project = await setup()
    await using other = await setup()
    const { context, directory } = project
    await execute(context, createTask, { title: '../../up \u001b[31m' })
    symlinkSync(other.directory, join(directory, 'link'))
    write(project, 'half/config.yml', 'a: 1\n')
    symlinkSync(other.directory, join(directory, 'half/tasks'))
    const before = readdirSync(other.directory)
    for (const path of ['link', 'link/in', '../x', '.git', '.', 'half', 'half/config.yml']) {
      await expect(execute(context, exportTo, { format: 'backlog', path })).rejects.toThrow()
    }
    expect(readdirSync(other.directory)).toEqual(before)
    await execute(context, exportTo, { format: 'backlog' })
    expect(readdirSync(join(directory, 'backlog/tasks'))).toEqual(['task-1 - up-31m.md'])
    const text = readFileSync(join(directory, 'backlog/tasks/task-1 - up-31m.md'), 'utf8')
    expect(text).toContain('title: "../../up \\e[31m"')
  })
})
