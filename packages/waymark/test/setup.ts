import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { type Context, type ContextOptions, createContext } from '../src/core/context.ts'
import { SILENT } from '../src/support/logger.ts'
import { initialiseProject, openProject } from '../src/core/project/project.ts'
import { createStateFolder, writeMarker } from '../src/core/store/state-folder.ts'
import { takeProject } from './postgres/recycled-project.ts'
import { copyDatabase, copyRepository } from './template.ts'

export interface Workspace extends AsyncDisposable {
  readonly directory: string
}

/** A new Git repository in a folder of its own, with nothing of Waymark in it. */
export function createRepository(): Workspace {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-test-'))
  copyRepository(directory)
  return {
    directory,
    [Symbol.asyncDispose]: async () =>
      rmSync(directory, { recursive: true, force: true, maxRetries: 10 }),
  }
}

/** A repository with an empty project, as `waymark init` leaves it, in PostgreSQL where the tests run on it. */
export async function createProject(): Promise<Workspace> {
  const repository = createRepository()
  const url = process.env['WAYMARK_DATABASE_URL']
  if (url !== undefined) return await putIntoPostgres(repository, url)
  await copyDatabase(join(repository.directory, '.git', 'waymark'))
  await initialiseProject(repository.directory)
  return repository
}

async function putIntoPostgres(repository: Workspace, url: string): Promise<Workspace> {
  const state = join(repository.directory, '.git', 'waymark')
  const { projectId, recycle } = await takeProject(url)
  createStateFolder(state)
  writeMarker(state, { projectId, createdAt: START, engine: 'postgres' })
  return {
    directory: repository.directory,
    [Symbol.asyncDispose]: async () => {
      await recycle()
      await repository[Symbol.asyncDispose]()
    },
  }
}

/** The way from a test's folder to a file outside of it, by `..`, wherever the system has its temp folders. */
export function pathToOutside(path: string): string {
  return join('..', relative(realpathSync(tmpdir()), path))
}

export interface Setup extends Workspace {
  readonly context: Context
  /** The same project as another agent would see it. */
  as(name: string, options?: Partial<ContextOptions>): Context
  /** Lets time pass; a negative one sets the clock back. */
  tick(milliseconds: number): void
  /** Sets the clock while no time passes. */
  setClock(milliseconds: number): void
}

export const START = Date.parse('2026-11-15T12:00:00Z')

/**
 * A project with an open store and a clock that moves only when told to. Where a command looks at the same store, both
 * need the real one: a lease of a fixed day has run out on every later day.
 */
export async function setup({ clock }: { clock?: () => number } = {}): Promise<Setup> {
  const repository = await createProject()
  const project = await openProject(repository.directory)
  let now = START
  let uptime = 3_600_000
  const as: Setup['as'] = (name, options = {}) =>
    createContext({
      store: project.store,
      agent: { name, surface: 'api' },
      logger: SILENT,
      project: { root: project.root, state: project.state },
      code: project.code,
      now: clock ?? (() => now),
      ...(clock === undefined && { uptime: () => ({ boot: 1, ms: uptime }) }),
      ...options,
    })
  return {
    directory: repository.directory,
    context: as('tester'),
    as,
    tick: (milliseconds) => {
      now += milliseconds
      // A clock can be set back, time cannot.
      uptime += Math.max(0, milliseconds)
    },
    setClock: (milliseconds) => {
      now += milliseconds
    },
    [Symbol.asyncDispose]: async () => {
      await project[Symbol.asyncDispose]()
      await repository[Symbol.asyncDispose]()
    },
  }
}
