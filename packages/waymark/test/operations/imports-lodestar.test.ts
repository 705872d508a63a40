import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { execute } from '../../src/core/execute.ts'
import { exportSpec } from '../../src/task/spec/operations.ts'
import { taskContext } from '../../src/task/queue/context.ts'
import { importTasks } from '../../src/task/import/operations.ts'
import { createTask, getTask } from '../../src/task/operations.ts'
import { createReplica, useStore } from '../replica/replicas.ts'
import { createRepository } from '../setup.ts'
import { projectWith, write } from './import-project.ts'

describe('Lodestar', () => {
  const SPEC = `project:
  name: demo
  default_branch: main
  conventions: {}
tasks:
  T001:
    title: First
    description: Do it
    acceptance_criteria: [works]
    labels: [api]
    locks: [src/**]
    priority: 10
    status: verified
    created_at: 2026-01-01T00:00:00.000Z
    updated_at: 2026-01-02T00:00:00.000Z
    verified_by: A1
    prd: { source: PRD.md, refs: [{ anchor: '#auth' }], excerpt: text }
  T002: { title: Second, depends_on: [T001, T009], status: ready, color: red }
  T003: { title: Third, status: done, depends_on: [T002] }
  T004: { title: Gone, status: deleted }
features:
  F1: [T001, T002]
`

  it('what the document says at the first import is what its sections are held against', async () => {
    const spec = (title: string) =>
      `tasks: { T1: { title: ${title}, prd: { source: PRD.md, refs: [{ anchor: '#one' }] } } }`
    const document = (one: string) => `# PRD\n\n## One\n\n${one}\n\n## Two\n\nOther.\n`
    await using project = await projectWith({
      '.lodestar/spec.yaml': spec('First'),
      'PRD.md': document('As it was.'),
    })
    const { context } = project
    const changed = async () => (await execute(context, taskContext, { id: 'T1' })).drift?.changed
    await execute(context, importTasks, { format: 'lodestar' })
    write(project, 'PRD.md', `${document('As it was.')}\n## Three\n`)
    expect(await changed()).toBe(false)
    write(project, 'PRD.md', document('Otherwise.'))
    expect(await changed()).toBe(true)
    // Taking the task over again, changed in another way, does not make anybody have read the new text.
    write(project, '.lodestar/spec.yaml', spec('Second'))
    expect(await execute(context, importTasks, { format: 'lodestar' })).toMatchObject({
      updated: 1,
    })
    expect(await changed()).toBe(true)
  })

  it('tasks come as they are there, and go back as they came', async () => {
    await using project = await projectWith({ '.lodestar/spec.yaml': SPEC })
    const { context } = project
    expect(await execute(context, importTasks, { format: 'lodestar' })).toMatchObject({
      created: 4,
      remarks: [
        'field color was not taken over',
        'T002 blocked_by lodestar:T009, which is not there',
      ],
    })
    expect(await execute(context, getTask, { id: 'T001' })).toMatchObject({
      status: 'done',
      verified: true,
      priority: 10,
      needs_verification: true,
      locks: ['src/**'],
      labels: ['api', 'feature:F1'],
      prd: { source: 'PRD.md', refs: [{ anchor: 'auth' }], excerpt: 'text' },
    })
    expect(await execute(context, getTask, { id: 'T003' })).toMatchObject({
      verified: false,
      priority: 100,
      blockers: [{ key: 'T002' }],
    })
    const { text, task_count } = await execute(context, exportSpec, {})
    expect(task_count).toBe(4)
    expect(parse(text)).toMatchObject({
      tasks: {
        T001: {
          title: 'First',
          description: 'Do it',
          acceptance_criteria: ['works'],
          labels: ['api'],
          locks: ['src/**'],
          priority: 10,
          status: 'verified',
          created_at: '2026-01-01T00:00:00.000Z',
          prd: { source: 'PRD.md', refs: [{ anchor: 'auth' }], excerpt: 'text' },
        },
        T002: { title: 'Second', depends_on: ['T001'], status: 'ready' },
        T003: { status: 'done', depends_on: ['T002'] },
        T004: { status: 'deleted' },
      },
      features: { F1: ['T001', 'T002'] },
    })
    write(project, 'again/spec.yaml', text)
    await using other = await projectWith({ '.lodestar/spec.yaml': text })
    await execute(other.context, importTasks, { format: 'lodestar' })
    const again = await execute(other.context, exportSpec, {})
    const { project: _, ...spec } = parse(text) as Record<string, unknown>
    expect(withoutUpdates(parse(again.text))).toMatchObject(withoutUpdates(spec))
  })

  it('tasks without a key are found again when what was written comes back', async () => {
    await using project = await projectWith({})
    const { context } = project
    const { task } = await execute(context, createTask, { title: 'First' })
    await execute(context, createTask, { title: 'Second', depends_on: [task.id] })
    const { text } = await execute(context, exportSpec, {})
    write(project, '.lodestar/spec.yaml', text.replace('First', 'Other'))
    const [first, again] = [
      await execute(context, importTasks, { format: 'lodestar' }),
      await execute(context, importTasks, { format: 'lodestar' }),
    ]
    expect(first).toMatchObject({ created: 0, updated: 2, remarks: [] })
    expect(again).toMatchObject({ unchanged: 2, remarks: [] })
    expect(await execute(context, getTask, { id: task.id })).toMatchObject({ title: 'Other' })
  })

  it('what tasks and features are called does not matter', async () => {
    await using project = await projectWith({})
    const { context } = project
    const words = ['__proto__', 'constructor', 'toString']
    for (const key of words) {
      await execute(context, createTask, { title: key, key, labels: [`feature:${key}`] })
    }
    const { text } = await execute(context, exportSpec, {})
    for (const word of words) {
      expect(text).toContain(`  ${word}:\n    title: ${word}\n`)
      expect(text).toContain(`  ${word}:\n    - ${word}\n`)
    }
  })

  it('two tasks that clones have given the same key are both there', async () => {
    await using project = await projectWith({})
    await using other = await createReplica('other')
    const { context } = project
    const mine = (await execute(context, createTask, { title: 'Mine', key: 'T1' })).task
    const theirs = (await other.run(createTask, { title: 'Theirs', key: 'T1' })).task
    await useStore(context.store, 'here').takeIn(await other.lines())
    const { text } = await execute(context, exportSpec, {})
    expect(parse(text)).toMatchObject({
      tasks: { [mine.id]: { title: 'Mine' }, [theirs.id]: { title: 'Theirs' } },
    })
  })

  it('a document that cannot be read is told of where the task is read, and stops nothing', async () => {
    await using other = createRepository()
    const outside = `../${basename(other.directory)}/.git/config`
    const sources = [outside, `${'x'.repeat(300)}.md`, 'missing.md']
    const tasks = sources.map((source, at) => [
      `T${at}`,
      { title: 'Read', prd: { source, refs: [] } },
    ])
    const spec = JSON.stringify({ project: 'p', tasks: Object.fromEntries(tasks) })
    await using project = await projectWith({ '.lodestar/spec.yaml': spec })
    const { context } = project
    expect(await execute(context, importTasks, { format: 'lodestar' })).toMatchObject({
      created: 3,
    })
    for (const [at, source] of sources.entries()) {
      const { warnings } = await execute(context, getTask, { id: `T${at}` })
      expect(warnings).toMatchObject([{ message: expect.stringContaining(source) }])
    }
  })

  it('a file of another kind is refused, not taken for an empty one', async () => {
    await using project = await projectWith({ 'other.json': '{"name":"x","version":"1"}' })
    const imported = execute(project.context, importTasks, {
      format: 'lodestar',
      path: 'other.json',
    })
    await expect(imported).rejects.toThrow('path: must be a spec.yaml of Lodestar')
  })

  it('a circle of dependencies is told and left out', async () => {
    await using project = await projectWith({
      '.lodestar/spec.yaml':
        'tasks:\n  A: { title: A, depends_on: [B] }\n  B: { title: B, depends_on: [A] }\n',
    })
    const { remarks, created } = await execute(project.context, importTasks, { format: 'lodestar' })
    expect(created).toBe(2)
    expect(remarks).toEqual([
      expect.stringMatching(/^B blocked_by lodestar:A was left out: .*cycle/),
    ])
  })
})

function withoutUpdates(spec: unknown): object {
  return JSON.parse(
    JSON.stringify(spec, (name, value: unknown) =>
      ['updated_at', 'verified_at', 'project'].includes(name) ? undefined : value,
    ),
  ) as object
}
