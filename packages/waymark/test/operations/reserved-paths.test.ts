import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { beforeAll, afterAll, describe, expect, it } from 'vitest'
import { execute } from '../../src/core/execute.ts'
import { claimTask } from '../../src/task/lease/operations.ts'
import { checkEdit } from '../../src/task/lock/operations.ts'
import { createTask } from '../../src/task/operations.ts'
import { SEED } from '../seed.ts'
import { type Setup, setup } from '../setup.ts'

const LOCKS = [
  'src/session/**',
  'docs/Ünïcode.md',
  'README',
  'lib/v1.2',
  'by-link/**',
  './odd/../tools/',
]
const RESERVED = [
  'src/session/store.ts',
  'src/session/not/there/yet.ts',
  'docs/Ünïcode.md',
  'README',
  'lib/v1.2/main.c',
  'target/file.txt',
  'tools/run.sh',
]
const FREE = [
  'src/sessions.ts',
  'src/main.ts',
  'docs/Unicode.md',
  'READMES',
  'lib/v1.20/main.c',
  'other/file.txt',
  'new.ts',
]
/** Links to folders, and where they lead. */
const LINKS = { sess: 'src/session', 'by-link': 'target', 'deep/er': '../src', all: '.' }

let project: Setup
let worktree: string
let sibling: string
let linkedRoot: string

beforeAll(async () => {
  project = await setup()
  const { directory } = project
  for (const path of [...RESERVED, ...FREE]) {
    if (path.includes('yet') || path === 'new.ts') continue
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), path)
  }
  mkdirSync(join(directory, 'deep'))
  for (const [name, target] of Object.entries(LINKS)) symlinkSync(target, join(directory, name))
  symlinkSync('src/session/born.ts', join(directory, 'dangling.ts'))
  linkedRoot = `${directory}-link`
  symlinkSync(directory, linkedRoot)
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', directory, ...args], { stdio: 'pipe' })
  git('add', '-A')
  git('-c', 'user.email=t@example.com', 'commit', '-qm', 'files')
  worktree = join(directory, '.worktrees', 'two')
  git('worktree', 'add', '-q', worktree)
  sibling = `${directory}-sibling`
  git('worktree', 'add', '-q', sibling)
  await execute(project.context, createTask, { title: 'T', locks: LOCKS })
  await execute(project.as('ann'), claimTask, { id: '1' })
})

afterAll(async () => {
  rmSync(linkedRoot)
  rmSync(sibling, { recursive: true })
  await project[Symbol.asyncDispose]()
})

const isFree = async (path: string): Promise<boolean> =>
  (await execute(project.as('bob'), checkEdit, { path })).free

/** Names that some file systems take for one. */
const letters = fc.constantFrom<(path: string) => string>(
  (path) => path,
  (path) => path.toUpperCase(),
  (path) => path.normalize('NFD'),
)
/** Ways to write the same path, one after the other. */
const spelling = fc.constantFrom<(path: string) => string>(
  (path) => `./${path}`,
  (path) => path.replaceAll('/', '//'),
  (path) => path.replaceAll('/', '/./'),
  (path) => `src/../${path}`,
  (path) => `missing/../${path}`,
  (path) => `all/${path}`,
  (path) => path.replace(/^src\//, 'deep/er/'),
  (path) => path.replace(/^src\/session\//, 'sess/'),
  (path) => path.replace(/^target\//, 'by-link/'),
  (path) => path.replaceAll('/', '\\'),
)
const start = fc.constantFrom<(path: string) => string>(
  (path) => path,
  (path) => `${project.directory}/${path}`,
  (path) => `${project.directory}//${path}`,
  (path) => `${linkedRoot}/${path}`,
  (path) => `${worktree}/${path}`,
  (path) => `${sibling}/${path}`,
  (path) => pathToFileURL(`${project.directory}/${path}`).href,
)

function spellings(paths: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...paths), letters, fc.array(spelling, { maxLength: 4 }), start)
    .map(([path, first, changes, from]) =>
      from(changes.reduce((text, change) => change(text), first(path))),
    )
}

describe('of a file', () => {
  it('that is reserved no spelling is free [reserved-paths-spelling-free]', async () => {
    await fc.assert(
      fc.asyncProperty(spellings(RESERVED), async (path) => !(await isFree(path))),
      { seed: SEED, numRuns: 300 },
    )
  })

  it('that is not reserved every spelling is free', async () => {
    await fc.assert(fc.asyncProperty(spellings(FREE), isFree), { seed: SEED, numRuns: 300 })
  })
})

describe('a path', () => {
  it.each(['src', 'src/', 'deep/er', '.', 'lib', 'tools', 'all/src'])(
    '%s is not free, for something in that folder is reserved',
    async (path) => expect(await isFree(path)).toBe(false),
  )

  it.each(['sess/../sess/store.ts', 'sess/../session/store.ts'])(
    '%s is what it is to programs that take out dots before links, and to those that do so after',
    async (path) => expect(await isFree(path)).toBe(false),
  )

  it('that is a link to nothing yet is what will be there', async () => {
    expect(await execute(project.as('bob'), checkEdit, { path: 'dangling.ts' })).toMatchObject({
      path: 'src/session/born.ts',
      free: false,
    })
  })

  it.each([
    ['/etc/hosts'],
    ['../elsewhere.ts'],
    ['src/../../elsewhere.ts'],
    ['C:\\elsewhere\\file.ts'],
    ['file:///etc/hosts'],
    ['file:///src%2Fsession/store.ts'],
  ])('%s is refused, for it is outside of the repository', async (path) => {
    await expect(execute(project.as('bob'), checkEdit, { path })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('path: is outside of the repository') as string,
    })
  })

  it('is answered as it is called from the top', async () => {
    const path = `${project.directory}/sess/../session/store.ts`
    expect(await execute(project.as('bob'), checkEdit, { path })).toMatchObject({
      path: 'src/session/store.ts',
    })
  })
})

describe('locks', () => {
  it('that are given absolutely are kept from the top, for clones elsewhere', async () => {
    const locks = [join(project.directory, 'app/**'), '/anchored/x.ts', 'plain/*.ts']
    const { task } = await execute(project.context, createTask, { title: 'A', locks })
    expect(task.locks).toEqual(['app/**', '/anchored/x.ts', 'plain/*.ts'])
  })

  it('that overlap through a symlink or in another case are reported by the claim', async () => {
    const elsewhere = [worktree, sibling, project.directory].map((top) => `${top}/src/session`)
    for (const lock of ['sess/store.ts', 'SRC/Session/*.ts', '/src/session/a.ts', ...elsewhere]) {
      const { task } = await execute(project.context, createTask, { title: 'L', locks: [lock] })
      const { overlaps } = await execute(project.as('bob'), claimTask, { id: task.id })
      expect(overlaps.map(({ pattern }) => pattern)).toEqual(['src/session/**'])
    }
  })
})
