import { execFileSync, spawn } from 'node:child_process'
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { bundleProgram, bundleWorkers } from '../../../../scripts/vitest/bundle-program.ts'
import { execute } from '../../src/core/execute.ts'
import { addArtifact } from '../../src/artifact/operations.ts'
import { annotateCode } from '../../src/annotation/write/annotate.ts'
import { readCode } from '../../src/annotation/read/read.ts'
import { createEntity } from '../../src/entity/operations.ts'
import { Connection } from '@waymark/sqlite'
import { initialiseProject, openProject } from '../../src/core/project/project.ts'
import { databasePath } from '../../src/core/store/state-folder.ts'
import { openSecretFile, secretPath } from '../../src/surfaces/serve/secret-file.ts'
import { openSessions } from '../../src/surfaces/serve/session-file.ts'
import { installCommand } from '../../src/surfaces/install/install-command.ts'
import { WORKER_SOURCES } from '../../src/support/worker/start-worker.ts'
import { isSample } from '../level.ts'
import { createTestTerminal } from '../surface/test-terminal.ts'
import { createFolder, createRepository, git, openFor } from './everywhere.ts'
import { KINDS, type Kind, OUTSIDE_TEXT } from './planted/plant.ts'
import type { Tried } from './planted/use-project.ts'

const PROGRAM = new URL('planted/use-project.ts', import.meta.url)
const SOURCES = new URL('../../src/', import.meta.url)
/** A process that waits for a pipe waits for ever: without news for so long it is killed. */
const LONGEST_MS = 120_000
/** Above the largest number of a process on Linux. */
const NO_PROCESS = 2 ** 22 + 1

describe.skipIf(process.platform === 'win32')('an entry of the state folder', () => {
  test('replaced by a link, a pipe or a folder changes and reads nothing outside, and nothing waits for it [state-folder-replaced-link]', async () => {
    using folder = createFolder()
    const entries = await createUsedProject(join(folder.path, 'template'))
    expect(entries.filter((name) => !name.includes('/'))).toEqual([
      '.gitignore',
      'bell',
      'cache',
      'cas',
      'http-secret',
      'http-sessions-waymark.db',
      'http-sessions-waymark.db-shm',
      'http-sessions-waymark.db-wal',
      'install',
      'line',
      'notes.lock',
      'packs',
      'project.json',
      'waymark.db',
      'waymark.db-shm',
      'waymark.db-wal',
    ])
    const all = ['', ...entries].flatMap((entry, at) =>
      KINDS.map((kind, which) => ({ entry, kind, turn: (at + which) % 3 })),
    )
    const jobs = all.filter(({ turn }) => !isSample || turn === 0)
    const tried = await tryAll(folder.path, jobs)
    const isHarmed = ({ answers, isOutsideChanged }: Tried) =>
      isOutsideChanged || JSON.stringify(answers).includes(OUTSIDE_TEXT.slice(0, 8))
    expect(tried.filter(isHarmed).map(({ entry, kind }) => `${entry}: ${kind}`)).toEqual([])
    // What stands at the top of the folder is refused before anything is opened.
    for (const { entry, kind, answers } of tried) {
      if (entry.includes('/') || !/link to|dangling|pipe/.test(kind)) continue
      const path = `.git/waymark${entry === '' ? '' : `/${entry}`}`
      expect(answers['init'], entry).toContain(`Failure: ${path} is `)
      expect(answers['doctor'], entry).toContain(`${path} is `)
    }
  })

  test('is refused by name and with a remedy, for what it is', async () => {
    using folder = createFolder()
    const root = createRepository(join(folder.path, 'main'), '--template=')
    const { state } = await initialiseProject(root)
    const bell = join(state, 'bell')
    const victim = join(folder.path, 'victim')
    const cases: readonly (readonly [() => void, string])[] = [
      [() => symlinkSync(victim, bell), 'is a symbolic link, which Waymark does not follow; put'],
      [() => linkSync(victim, bell), 'has a second name (a hard link) whose content would change'],
      [() => execFileSync('mkfifo', [bell]), 'is a named pipe, not a regular file; move it away'],
      [() => mkdirSync(bell), 'is a folder, not a regular file; move it away'],
    ]
    for (const [make, message] of cases) {
      writeFileSync(victim, 'mine')
      rmSync(bell, { recursive: true })
      make()
      await expect(openProject(root)).rejects.toMatchObject({
        code: 'storage_unavailable',
        message: expect.stringContaining(`.git/waymark/bell ${message}`),
        details: { path: '.git/waymark/bell' },
      })
    }
  })

  test('that is a link before there is a project stays what it is, and so does what it leads to', async () => {
    using folder = createFolder()
    const victim = join(folder.path, 'victim')
    writeFileSync(victim, 'mine')
    for (const name of ['.gitignore', 'bell', 'line', 'waymark.db', 'project.json']) {
      const root = createRepository(join(folder.path, name), '--template=')
      mkdirSync(join(root, '.git', 'waymark'))
      symlinkSync(victim, join(root, '.git', 'waymark', name))
      await expect(initialiseProject(root)).rejects.toThrow('is a symbolic link')
      expect(readFileSync(victim, 'utf8')).toBe('mine')
      expect(readdirSync(join(root, '.git', 'waymark'))).toEqual([name])
    }
  })
})

describe.skipIf(process.platform === 'win32')('a state folder that is a link', () => {
  test('to that of another project is refused, in Git and outside', async () => {
    using folder = createFolder()
    const other = createRepository(join(folder.path, 'other'), '--template=')
    const { state } = await initialiseProject(other)
    const before = describeFiles(state)
    const root = createRepository(join(folder.path, 'main'), '--template=')
    symlinkSync(state, join(root, '.git', 'waymark'))
    for (const use of [initialiseProject, openProject])
      await expect(use(root)).rejects.toThrow('.git/waymark is a symbolic link')
    const tree = join(folder.path, 'tree')
    mkdirSync(join(tree, '.waymark'), { recursive: true })
    symlinkSync(state, join(tree, '.waymark', 'state'))
    for (const use of [initialiseProject, openProject])
      await expect(use(tree)).rejects.toThrow('.waymark/state is a symbolic link')
    rmSync(join(tree, '.waymark'), { recursive: true })
    const linked = join(folder.path, 'linked')
    mkdirSync(linked)
    renameSync(linked, join(tree, 'away'))
    symlinkSync('away', join(tree, '.waymark'))
    for (const use of [initialiseProject, openProject])
      await expect(use(tree)).rejects.toThrow('.waymark is a symbolic link')
    expect(describeFiles(state)).toEqual(before)
    expect(readdirSync(join(tree, 'away'))).toEqual([])
  })
})

/** A project that was used in every way that leaves something in the state folder: the paths of all that is in it. */
async function createUsedProject(folder: string): Promise<readonly string[]> {
  const root = createRepository(join(folder, 'main'), '--template=')
  git(folder, 'init', '--quiet', '--bare', '--template=', 'remote.git')
  git(root, 'remote', 'add', 'origin', '../remote.git')
  await using project = await openFor(root)
  const { context, state } = project
  await execute(context, createEntity, { type: 'note', title: 'a note' })
  await execute(context, addArtifact, { text: 'stored again' })
  await execute(context, annotateCode, { summary: 'the answer' })
  await execute(context, readCode, { path: 'code.ts' })
  openSecretFile(secretPath(state))
  await using _ = await openSessions(state, 'waymark')
  // Two processes that write at once make the file in which they wait for each other.
  const other = new Connection(databasePath(state), 'write')
  other.exec('BEGIN IMMEDIATE')
  const waiting = execute(context, createEntity, { type: 'note', title: 'another note' })
  setTimeout(() => other.close(), 50)
  await waiting
  const home = join(folder, 'home')
  const running = { node: process.execPath, script: join(home, 'waymark.js') }
  mkdirSync(home)
  writeFileSync(running.script, '')
  const terminal = createTestTerminal(root, { env: { ...process.env, HOME: home } })
  expect(await installCommand(['claude-code'], {}, terminal, running)).toBe(0)
  // What a process leaves behind that is killed while it annotates.
  writeFileSync(join(state, 'notes.lock'), `${NO_PROCESS} ${hostname()}\n`)
  return readdirSync(state, { recursive: true, encoding: 'utf8' }).toSorted()
}

async function tryAll(
  folder: string,
  jobs: readonly { readonly entry: string; readonly kind: Kind }[],
): Promise<readonly Tried[]> {
  bundleWorkers(SOURCES, WORKER_SOURCES)
  const words = [bundleProgram(PROGRAM), folder, ...jobs.map((job) => JSON.stringify(job))]
  const child = spawn(process.execPath, words)
  const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS)
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
    timer.refresh()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  clearTimeout(timer)
  const lines = out.split('\n').filter((line) => line !== '')
  // The first one that has no line is the one that it waits for.
  expect([code, err, jobs[lines.length]]).toEqual([0, '', undefined])
  return lines.map((line) => JSON.parse(line) as Tried)
}

function describeFiles(folder: string): readonly string[] {
  return readdirSync(folder).map((name) => {
    const { size, mtimeMs } = lstatSync(join(folder, name))
    return `${name} ${size} ${mtimeMs}`
  })
}
