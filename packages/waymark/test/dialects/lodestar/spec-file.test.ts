import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join as joinPath } from 'node:path'
import { expect, it } from 'vitest'
import { execute } from '../../../src/core/execute.ts'
import { createTasks, getTask, updateTask } from '../../../src/task/operations.ts'
import { syncSpec } from '../../../src/task/spec/operations.ts'
import { completeTask } from '../../../src/task/state/operations.ts'
import { type Setup, setup } from '../../setup.ts'
import { connect, type DialectClient, type Fields } from '../client.ts'
import { join } from './crew.ts'

const SPEC = `# Our plan
project:
  name: demo
  default_branch: main
  conventions: {}
x-owner: team-a
tasks:
  # The first one
  T001:
    title: Write the parser # soon
    description: |
      Two lines
      of text
    priority: 10
    status: ready
    estimate: 3
  T002:
    title: "Write the docs"
    status: todo
    depends_on:
    - T001
    labels: [docs]
features:
  F1: [T001]
`

interface SpecProject extends AsyncDisposable {
  readonly project: Setup
  readonly lodestar: DialectClient
  readonly path: string
  text(): string
  edit(from: string, to: string): void
  spec(): Promise<string>
  tasks(): Promise<Record<string, Fields>>
}

async function withSpec(text = SPEC, readOnly = false): Promise<SpecProject> {
  const project = await setup()
  const path = joinPath(project.directory, '.lodestar', 'spec.yaml')
  mkdirSync(joinPath(project.directory, '.lodestar'))
  writeFileSync(path, text)
  const lodestar = await connect('lodestar', { project, server: { access: { readOnly } } })
  return {
    project,
    lodestar,
    path,
    text: () => readFileSync(path, 'utf8'),
    edit: (from, to) => {
      const before = readFileSync(path, 'utf8')
      expect(before).toContain(from)
      writeFileSync(path, before.replace(from, to))
    },
    async spec() {
      const { result, error } = await lodestar.request('resources/read', { uri: 'lodestar://spec' })
      if (result === undefined) throw new Error(JSON.stringify(error))
      const [content] = result['contents'] as { mimeType: string; text: string }[]
      expect(content?.mimeType).toBe('text/yaml')
      return content?.text ?? ''
    },
    async tasks() {
      const { tasks } = await lodestar.call('lodestar.task.list', { status: 'all' })
      return Object.fromEntries((tasks as Fields[]).map((task) => [String(task['id']), task]))
    },
    async [Symbol.asyncDispose]() {
      await lodestar[Symbol.asyncDispose]()
      await project[Symbol.asyncDispose]()
    },
  }
}

it('an existing spec.yaml is read at first use, once, and is what lodestar://spec returns [spec-file-read]', async () => {
  await using demo = await withSpec()
  expect(await demo.tasks()).toMatchObject({
    T001: { title: 'Write the parser', priority: 10, status: 'ready' },
    T002: { title: 'Write the docs', dependencies: ['T001'], labels: ['docs'] },
  })
  expect(Object.keys(await demo.tasks())).toHaveLength(2)
  expect(await demo.spec()).toBe(SPEC)
  expect(demo.text()).toBe(SPEC)
  const status = await demo.lodestar.call('lodestar.repo.status')
  expect(status).toMatchObject({ specPath: demo.path, counts: { tasks: { ready: 2 } } })
})

it('changes are written through, comments and unknown keys stay [spec-file-written]', async () => {
  await using demo = await withSpec()
  const { lodestar } = demo
  const agentId = await join(lodestar, 'ann')
  await lodestar.call('lodestar.task.claim', { taskId: 'T001', agentId })
  expect(demo.text()).toBe(SPEC)
  await lodestar.call('lodestar.task.done', { taskId: 'T001', agentId })
  const done = demo.text()
  expect(done).toMatch(
    new RegExp(
      `  # The first one\\n  T001:\\n    title: Write the parser # soon\\n    description: \\|\\n      Two lines\\n      of text\\n    priority: 10\\n    status: done\\n    estimate: 3\\n    updated_at: \\S+\\n    completed_by: ${agentId}\\n    completed_at: \\S+\\n`,
    ),
  )
  expect(done.replaceAll(/ {4}(?:updated_at|completed_\w+): .*\n/g, '')).toBe(
    SPEC.replace('status: ready', 'status: done'),
  )
  await lodestar.call('lodestar.task.verify', { taskId: 'T001', agentId })
  expect(demo.text()).toContain('    status: verified\n')
  expect(await demo.spec()).toBe(demo.text())
  // What another surface changes is in the file as soon as it is read.
  const { context } = demo.project
  await execute(context, updateTask, { id: 'T002', title: 'Write: the \u001b[31mguide\u202e' })
  await execute(context, createTasks, {
    tasks: [{ key: 'T003', title: 'New', depends_on: ['T002'] }],
  })
  const text = await demo.spec()
  expect(text).toContain('    title: "Write: the \\u001b[31mguide\\u202e"\n')
  expect(text).toMatch(/ {2}T003:\n {4}title: New\n {4}depends_on:\n {4}- T002\n/)
  expect(text).toContain('# Our plan\n')
  expect(text).toContain('x-owner: team-a\n')
  expect(demo.text()).toBe(text)
  expect(await demo.spec()).toBe(text)
  expect(Object.keys(await demo.tasks())).toHaveLength(3)
})

it('edits by hand are read again, and merged field by field [spec-file-merged]', async () => {
  await using demo = await withSpec()
  const { context } = demo.project
  await demo.tasks()
  // Both sides change T001 and T002, in different fields.
  await execute(context, completeTask, { id: 'T001' })
  await execute(context, updateTask, { id: 'T002', priority: 7 })
  demo.edit('title: Write the parser', 'title: Write the lexer')
  demo.edit('"Write the docs"', '"Write the manual"')
  demo.edit('    depends_on:\n    - T001\n', '')
  expect(await demo.tasks()).toMatchObject({
    T001: { title: 'Write the lexer', status: 'done' },
    T002: { title: 'Write the manual', priority: 7, dependencies: [] },
  })
  const text = demo.text()
  expect(text).toContain('title: Write the lexer # soon\n')
  expect(text).toContain('    status: done\n')
  expect(text).toContain('title: "Write the manual"\n')
  expect(text).toContain('    priority: 7\n')
  expect(text).not.toContain('- T001\n')
  // A task that was removed by hand is not put back, and one that was reopened by hand is open.
  writeFileSync(demo.path, text.replace(/ {2}T002:[^]*(?=features)/, ''))
  demo.edit('status: done', 'status: ready')
  demo.edit('Write the lexer', 'Write the parser')
  expect(await demo.tasks()).toMatchObject({ T001: { title: 'Write the parser', status: 'ready' } })
  expect(await demo.spec()).not.toContain('T002')
})

it('a task that an agent holds takes hand edits when it is given back', async () => {
  await using demo = await withSpec()
  const agentId = await join(demo.lodestar, 'ann')
  await demo.lodestar.call('lodestar.task.claim', { taskId: 'T001', agentId })
  demo.edit('Write the parser', 'Write the lexer')
  expect(await demo.tasks()).toMatchObject({ T001: { title: 'Write the parser' } })
  expect(await demo.spec()).toContain('Write the lexer')
  await demo.lodestar.call('lodestar.task.release', { taskId: 'T001', agentId })
  expect(await demo.tasks()).toMatchObject({ T001: { title: 'Write the lexer' } })
})

it('a file that cannot be read is named, and neither it nor a task is changed [spec-file-broken]', async () => {
  await using demo = await withSpec()
  const agentId = await join(demo.lodestar, 'ann')
  for (const broken of ['tasks: [unclosed', '', '- a list\n', 'x'.repeat(2 ** 21)]) {
    writeFileSync(demo.path, broken)
    const refused = await demo.lodestar.refusal('lodestar.task.done', { taskId: 'T001', agentId })
    expect(refused['error']).toMatch(/spec\.yaml/)
    await expect(demo.spec()).rejects.toThrow(/spec\.yaml/)
    expect(await demo.tasks()).toMatchObject({ T001: { status: 'ready' } })
    expect(demo.text()).toBe(broken)
  }
  rmSync(demo.path)
  const outside = joinPath(demo.project.directory, 'outside.yaml')
  writeFileSync(outside, SPEC)
  symlinkSync(outside, demo.path)
  const linked = await demo.lodestar.refusal('lodestar.task.done', { taskId: 'T001', agentId })
  expect(linked['error']).toMatch(/spec\.yaml is a symbolic link/)
  expect(readFileSync(outside, 'utf8')).toBe(SPEC)
  rmSync(demo.path)
  expect(await demo.spec()).toContain('T001:\n    title: Write the parser')
})

it('a read-only server shows the file and writes neither it nor tasks [spec-file-read-only]', async () => {
  await using demo = await withSpec(SPEC, true)
  expect(await demo.tasks()).toEqual({})
  await execute(demo.project.context, createTasks, { tasks: [{ key: 'T009', title: 'New' }] })
  expect(await demo.spec()).toContain('  T009:\n    title: New\n')
  expect(demo.text()).toBe(SPEC)
})

it('a cycle in the file is reported, and its edge stays there [spec-cycle]', async () => {
  await using one = await withSpec()
  const warned: string[] = []
  const sync = async () => {
    const logger = { ...one.project.context.logger, warn: (text: string) => void warned.push(text) }
    const { remarks } = await execute({ ...one.project.context, logger }, syncSpec, {})
    return remarks
  }
  expect(await sync()).toEqual([])
  one.edit('    priority: 10\n', '    priority: 10\n    depends_on: [T002]\n')
  const remark = 'T001 depends_on T002 was left out: T002 waits for T001'
  expect(await sync()).toEqual([remark])
  expect(warned).toEqual([`.lodestar/spec.yaml: ${remark}`])
  await execute(one.project.context, updateTask, { id: 'T001', title: 'Parser' })
  await sync()
  expect(one.text()).toContain('title: Parser')
  expect(one.text()).toContain('depends_on: [T002]')
  // As soon as it is possible it is taken over.
  one.edit('    depends_on:\n    - T001\n', '')
  expect(await sync()).toEqual([])
  expect(await sync()).toEqual([])
  const waitsFor = async (id: string) =>
    (await execute(one.project.context, getTask, { id })).depends_on.map(({ key }) => key)
  expect([await waitsFor('T001'), await waitsFor('T002')]).toEqual([['T002'], []])
})

it('two new tasks that wait for each other: one edge is taken over, the other is reported [spec-cycle-new]', async () => {
  await using one = await withSpec(SPEC.replace('    estimate: 3', '    depends_on: [T002]'))
  const { imported, remarks } = await execute(one.project.context, syncSpec, {})
  expect([imported, remarks]).toEqual([2, [expect.stringMatching(/^T002 blocked_by .*cycle/)]])
  expect(one.text()).toBe(SPEC.replace('    estimate: 3', '    depends_on: [T002]'))
})
