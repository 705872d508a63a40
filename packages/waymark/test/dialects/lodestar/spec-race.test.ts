import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type Context, createContext } from '../../../src/core/context.ts'
import { execute } from '../../../src/core/execute.ts'
import { openProject } from '../../../src/core/project/project.ts'
import { SILENT } from '../../../src/support/logger.ts'
import { exportSpec, syncSpec } from '../../../src/task/spec/operations.ts'
import { replaceSpecFile } from '../../../src/task/spec/spec-file.ts'
import { completeTask, verifyTask } from '../../../src/task/state/operations.ts'
import { createProject } from '../../setup.ts'

interface Servers extends AsyncDisposable {
  readonly one: Context
  readonly two: Context
  readonly path: string
  text(): string
  /** Status and title of each task, in the file and in the store. */
  states(): Promise<readonly Record<string, string>[]>
}

const namesOf = (count: number) =>
  Array.from({ length: count }, (_, at) => `T${String(at + 1).padStart(3, '0')}`)

/** Two servers of one project, each with a connection of its own, as two processes have. */
async function openTwice(count: number): Promise<Servers> {
  const repository = await createProject()
  const path = join(repository.directory, '.lodestar', 'spec.yaml')
  mkdirSync(dirname(path))
  const tasks = namesOf(count).map((name) => `  ${name}:\n    title: planned\n    status: ready\n`)
  writeFileSync(path, `# Plan\ntasks:\n${tasks.join('')}`)
  const open = async (name: string) => {
    const project = await openProject(repository.directory)
    const { store, root, state, code } = project
    const agent = { name, surface: 'api' } as const
    const context = createContext({ store, agent, logger: SILENT, project: { root, state }, code })
    return { project, context }
  }
  const [one, two] = [await open('one'), await open('two')]
  await execute(one.context, syncSpec, {})
  const text = () => readFileSync(path, 'utf8')
  return {
    one: one.context,
    two: two.context,
    path,
    text,
    async states() {
      for (const { context } of [one, two]) await execute(context, syncSpec, {})
      const { text: stored } = await execute(two.context, exportSpec, {})
      return [text(), stored].map((spec) =>
        Object.fromEntries(
          spec.split(/\n(?= {2}T\d+:)/).flatMap((task) => {
            const [, name] = /^ {2}(T\d+):/.exec(task) ?? []
            const [, title] = / title: (.*)/.exec(task) ?? []
            const [, status] = / status: (.*)/.exec(task) ?? []
            return name === undefined ? [] : [[name, `${status} ${title}`]]
          }),
        ),
      )
    },
    async [Symbol.asyncDispose]() {
      for (const { project } of [one, two]) await project[Symbol.asyncDispose]()
      await repository[Symbol.asyncDispose]()
    },
  }
}

/** As a call of a server does. A file that is edited all the time is written by a later call. */
async function complete(context: Context, id: string): Promise<void> {
  await syncUnlessBusy(context)
  await execute(context, completeTask, { id })
  await syncUnlessBusy(context)
}

async function syncUnlessBusy(context: Context): Promise<void> {
  await execute(context, syncSpec, {}).catch((error: unknown) => {
    expect(error).toMatchObject({ code: 'busy' })
  })
}

const rename = (text: string, name: string) =>
  text.replace(`  ${name}:\n    title: planned`, `  ${name}:\n    title: edited`)

/** Half of all editors write in place, the others replace the file. */
function save(path: string, text: string, isInPlace: boolean): void {
  writeFileSync(isInPlace ? path : `${path}.new`, text)
  if (!isInPlace) renameSync(`${path}.new`, path)
}

it('completions of two servers and edits by hand at the same time: none is lost [spec-file-race]', async () => {
  const names = namesOf(32)
  await using demo = await openTwice(names.length)
  const edited = names.filter((_, at) => at % 2 === 0)
  const completed = names.filter((_, at) => at % 4 < 3)
  const edit = async () => {
    for (const [at, name] of edited.entries()) {
      // Right after a server wrote the file, or at any time; some save what they had read long before.
      const { ino } = statSync(demo.path)
      const old = demo.text()
      const until = performance.now() + 300
      while (at % 2 === 0 && statSync(demo.path).ino === ino && performance.now() < until) {
        await turn()
      }
      if (at % 2 === 1) await sleep((at * 37) % 90)
      save(demo.path, rename(at % 8 === 7 ? old : demo.text(), name), at % 3 === 0)
    }
  }
  const work = async (context: Context, own: readonly string[]) => {
    for (const name of own) await complete(context, name)
  }
  await Promise.all([
    edit(),
    work(
      demo.one,
      completed.filter((_, at) => at % 2 === 0),
    ),
    work(
      demo.two,
      completed.filter((_, at) => at % 2 === 1),
    ),
  ])
  const expected = Object.fromEntries(
    names.map((name) => [
      name,
      `${completed.includes(name) ? 'done' : 'ready'} ${edited.includes(name) ? 'edited' : 'planned'}`,
    ]),
  )
  expect(await demo.states()).toEqual([expected, expected])
  expect(readdirSync(dirname(demo.path))).toEqual(['spec.yaml'])
})

it('an edit right after the file was written is taken over [spec-file-edit-after-write]', async () => {
  await using demo = await openTwice(2)
  const before = demo.text()
  const completing = complete(demo.one, 'T001')
  while (demo.text() === before) await turn()
  save(demo.path, rename(demo.text(), 'T002'), true)
  await completing
  const expected = { T001: 'done planned', T002: 'ready edited' }
  expect(await demo.states()).toEqual([expected, expected])
})

it('what an editor saves keeps what was written since it read the file [spec-file-old-buffer]', async () => {
  await using demo = await openTwice(2)
  const buffer = demo.text()
  await complete(demo.one, 'T001')
  await execute(demo.two, verifyTask, { id: 'T001' })
  await execute(demo.two, syncSpec, {})
  save(demo.path, rename(buffer, 'T001'), true)
  const expected = { T001: 'verified edited', T002: 'ready planned' }
  expect(await demo.states()).toEqual([expected, expected])
  // An editor that has read the completion reopens the task.
  writeFileSync(demo.path, demo.text().replace('status: verified', 'status: ready'))
  const reopened = { T001: 'ready edited', T002: 'ready planned' }
  expect(await demo.states()).toEqual([reopened, reopened])
})

it('an edit written to the file while that is replaced is put back [spec-file-edit-while-replaced]', async () => {
  await using demo = await openTwice(2)
  const before = demo.text()
  const after = before.replace('ready', 'done')
  const file = openSync(demo.path, 'r+')
  const isHeld = () => {
    setImmediate(() => {
      ftruncateSync(file)
      writeSync(file, rename(before, 'T002'), 0)
      closeSync(file)
    })
    return true
  }
  const isReplaced = await replaceSpecFile(demo.one, { before, after, lock: { isHeld } })
  expect(isReplaced).toBe(false)
  expect(demo.text()).toBe(rename(before, 'T002'))
  const lost = { before: demo.text(), after, lock: { isHeld: () => false } }
  expect(await replaceSpecFile(demo.one, lost)).toBe(false)
  expect(demo.text()).toBe(rename(before, 'T002'))
  expect(readdirSync(dirname(demo.path))).toEqual(['spec.yaml'])
})
