import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join as joinPath } from 'node:path'
import { expect, it } from 'vitest'
import { execute } from '../../../src/core/execute.ts'
import { getTask, updateTask } from '../../../src/task/operations.ts'
import { syncSpec } from '../../../src/task/spec/operations.ts'

import { setup } from '../../setup.ts'
import { connect, type Fields } from '../client.ts'
import { join } from './crew.ts'

const ONE = 'tasks:\n  T001:\n    title: one\n    status: ready\n'

async function withFile(bytes: string | Buffer) {
  const project = await setup()
  const path = joinPath(project.directory, '.lodestar', 'spec.yaml')
  mkdirSync(joinPath(project.directory, '.lodestar'))
  writeFileSync(path, bytes)
  const lodestar = await connect('lodestar', { project })
  const agentId = await join(lodestar, 'ann')
  return {
    path,
    lodestar,
    done: async (taskId: string) => await lodestar.call('lodestar.task.done', { taskId, agentId }),
    refused: async (taskId: string) =>
      String((await lodestar.refusal('lodestar.task.done', { taskId, agentId }))['error']),
    async tasks() {
      const { tasks } = await lodestar.call('lodestar.task.list', { status: 'all' })
      return (tasks as Fields[]).map(({ id, title, status }) => [id, title, status].join(' '))
    },
    /** Without the stamps that a change of a task leaves. */
    text: () =>
      readFileSync(path, 'utf8').replaceAll(/\s*(?:updated_at|completed_(?:at|by)): .*/g, ''),
    async [Symbol.asyncDispose]() {
      await lodestar[Symbol.asyncDispose]()
      await project[Symbol.asyncDispose]()
    },
  }
}

it.each([
  ['line ends of Windows', ONE.replaceAll('\n', '\r\n'), 'T001'],
  ['a byte order mark', `\u{FEFF}${ONE}`, 'T001'],
  ['a number as the name of a task', 'tasks:\n  1.50:\n    title: one\n    status: ready\n', '1.5'],
  ['a name that objects have', ONE.replace('T001', '__proto__'), '__proto__'],
  ['a dependency that is not there', `${ONE}    depends_on: [T404]\n`, 'T001'],
])('a file with %s keeps that when it is written', async (_, text, name) => {
  await using demo = await withFile(text)
  await demo.done(name)
  expect(demo.text()).toBe(text.replace('ready', 'done'))
  expect(await demo.tasks()).toEqual([`${name} one done`])
})

it('tasks that share text by aliases are changed one by one [spec-file-aliases]', async () => {
  const shared = `base: &base {priority: 5}\ntasks:\n  T001: &one\n    <<: *base\n    title: one\n    status: &s ready\n  T002: *one\n  T003:\n    title: three\n    status: *s\n`
  await using demo = await withFile(shared)
  await demo.done('T001')
  const expected = ['T001 one done', 'T002 one ready', 'T003 three ready']
  expect((await demo.tasks()).toSorted()).toEqual(expected)
  expect(demo.text().match(/status: .*/g)).toEqual([
    'status: &s done',
    'status: ready',
    'status: ready',
  ])
  const task = await demo.lodestar.call('lodestar.task.get', { taskId: 'T001' })
  expect(JSON.stringify(task)).toContain('"priority":5')
  await demo.done('T002')
  expect(demo.text().match(/status: .*/g)).toEqual([
    'status: &s done',
    'status: done',
    'status: ready',
  ])
})

it('a dependency that is not there stays when another one is removed', async () => {
  await using demo = await withFile(`${ONE}    depends_on: [T404, T001]\n`)
  await demo.tasks()
  expect(demo.text()).toContain('T404')
})

it('a file that would be damaged by writing it is refused and stays as it is [spec-file-undamaged]', async () => {
  const latin = Buffer.from(`# caf\u{E9}\n${ONE}`, 'latin1')
  await using demo = await withFile(latin)
  expect(await demo.refused('T001')).toMatch(/spec\.yaml is not UTF-8/)
  expect(readFileSync(demo.path)).toEqual(latin)
  const complex = `${ONE}  ? [a, b]\n  : title: two\n    status: ready\n`
  writeFileSync(demo.path, complex)
  await demo.done('[ a, b ]')
  expect(readFileSync(demo.path, 'utf8')).toBe(complex)
  expect(await demo.refused('T001')).toMatch(/spec\.yaml cannot be changed/)
})

it('every text of a task can be written and read again [spec-file-texts]', async () => {
  await using demo = await withFile(`${ONE}    description: |\n      two\n      lines\n`)
  await demo.tasks()
  const { context } = demo.lodestar.project
  const texts = [
    'a\r\nb',
    'a\rb\n\n',
    '  lead\n\ttab ',
    '# no comment',
    '*a',
    '\u{2028}x\u{85}',
    '---\n...',
    '"\'',
  ]
  for (const content of texts) {
    await execute(context, updateTask, { id: 'T001', content })
    const { content: stored } = await execute(context, getTask, { id: 'T001' })
    const { written } = await execute(context, syncSpec, {})
    expect(written).toBe(true)
    expect(await execute(context, syncSpec, {})).toMatchObject({ imported: 0, written: false })
    expect(await execute(context, getTask, { id: 'T001' })).toMatchObject({ content: stored })
  }
})

it('an unknown status is todo, also one that objects have', async () => {
  await using demo = await withFile(ONE.replace('ready', 'constructor'))
  expect(await demo.tasks()).toEqual(['T001 one ready'])
})

it('who may read the file stays as it was', async () => {
  await using demo = await withFile(ONE)
  chmodSync(demo.path, 0o600)
  await demo.done('T001')
  expect(statSync(demo.path).mode & 0o077).toBe(0)
})

it('a folder in the place of the file is named', async () => {
  await using demo = await withFile(ONE)
  await demo.tasks()
  rmSync(demo.path)
  mkdirSync(demo.path)
  expect(await demo.refused('T001')).toMatch(/folder|directory/)
  rmSync(demo.path, { recursive: true })
  expect(await demo.tasks()).toEqual(['T001 one ready'])
})
