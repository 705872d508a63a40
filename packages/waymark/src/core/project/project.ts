import { basename, join, resolve } from 'node:path'
import type { Config } from './config.ts'
import type { ProjectInfo } from '../context.ts'
import { Failure } from '../error.ts'
import { findGitDirs } from '../../support/files/worktree/git-dirs.ts'
import { type CodeSource, createCodeSource } from '../../git/code-source.ts'
import { assertOwned, giveToOwner } from '../../git/ownership.ts'
import { readUserName } from '../../git/config/user-name.ts'
import { initialiseStore, openStore } from '../store/open.ts'
import { hasRemote, locateProject, locateWorktreeStores, type Project } from './locate-project.ts'
import { toProjectName } from '../../team/projects.ts'
import { lockWorktrees } from './worktree-stores.ts'
import type { Store } from '../store/store.ts'
import { MACHINE_CLOCK } from '../clock/machine-clock.ts'

/** A project whose store is open, with or without a working tree on this machine. */
export interface StoredProject extends AsyncDisposable {
  readonly root?: string
  /** Folder of the store. */
  readonly state?: string
  readonly store: Store
  readonly code?: CodeSource
  /** The name that git knows the user by. */
  userName(): Promise<string | null>
}

/** A project with its working tree. */
export interface OpenProject extends StoredProject {
  readonly root: string
  readonly state: string
  readonly code: CodeSource
}

export interface OpenOptions {
  /** No file of the project is written, not even a cache. */
  readonly isReadOnly?: boolean
  /** It is closed when the process ends, not after one operation. */
  readonly staysOpen?: boolean
}

/** Opens the project that `directory` belongs to; creates nothing. */
export async function openProject(
  directory: string,
  { isReadOnly = false, staysOpen = false }: OpenOptions = {},
): Promise<OpenProject> {
  const project = locateProject(resolve(directory))
  if (project === undefined) throw notInitialised()
  const store = await openStore(project.stateDir).catch((error: unknown) => {
    const isMissing = error instanceof Failure && error.code === 'not_initialised'
    throw isMissing ? notInitialised(project) : error
  })
  keepWorktreeStores(project.root)
  const code = createCodeSource({ ...project, isReadOnly, staysOpen })
  return {
    root: project.root,
    state: project.stateDir,
    store,
    code,
    userName: () => readUserName(project.root),
    [Symbol.asyncDispose]: async () => {
      await code[Symbol.asyncDispose]()
      await store.close()
      giveToOwner(project.root, project.stateDir)
    },
  }
}

/** The part of the project that operations can see. */
export function toProjectInfo(
  { root, state }: Pick<OpenProject, 'root' | 'state'>,
  { description }: Config,
): ProjectInfo {
  return { root, state, ...(description !== undefined && { description }) }
}

/** The working tree and its code, for a context; nothing where a server has only the store. */
export function workingTreeOf(
  { root, state, code }: StoredProject,
  config: Config,
): { readonly project?: ProjectInfo; readonly code?: CodeSource } {
  if (root === undefined || state === undefined || code === undefined) return {}
  return { project: toProjectInfo({ root, state }, config), code }
}

export interface InitialisedProject {
  readonly root: string
  readonly state: string
  readonly project_id: string
  readonly created: boolean
  readonly in_git: boolean
}

export interface InitialiseOptions {
  /** `worktree`: a store for this linked worktree alone. Otherwise all worktrees of a repository share one. */
  readonly scope?: 'shared' | 'worktree'
  /** Joins this project, which is kept in PostgreSQL. */
  readonly projectId?: string
}

/** Makes `directory`'s repository a Waymark project; outside Git, the directory itself. Does nothing to one that is. */
export async function initialiseProject(
  directory: string,
  { scope = 'shared', projectId: wanted }: InitialiseOptions = {},
): Promise<InitialisedProject> {
  if (wanted !== undefined) assertJoinable(wanted)
  const start = resolve(directory)
  const found = locateProject(start) ?? outsideGit(start)
  const state = scope === 'worktree' ? ownState(found.root) : found.stateDir
  const { projectId, created } = await initialiseStore(state, {
    projectId: wanted ?? crypto.randomUUID(),
    now: MACHINE_CLOCK.now(),
    name: toProjectName(basename(found.root)),
  })
  if (wanted !== undefined && projectId !== wanted) {
    throw new Failure('conflict', `project: this is already the project ${projectId}`, {
      details: { field: 'project' },
    })
  }
  keepWorktreeStores(found.root)
  giveToOwner(found.root, state)
  return { root: found.root, state, project_id: projectId, created, in_git: found.inGit }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function assertJoinable(projectId: string): void {
  const details = { field: 'project' }
  if (!UUID.test(projectId)) {
    const message = 'project: must be the id that `waymark init --json` printed as project_id'
    throw new Failure('invalid_input', message, { details })
  }
  if ((process.env['WAYMARK_DATABASE_URL'] ?? '') === '') {
    const message =
      'project: only a project in PostgreSQL can be joined; set WAYMARK_DATABASE_URL, or use `waymark sync`'
    throw new Failure('invalid_input', message, { details })
  }
}

/** In whichever worktree this is: one whose folder was moved or removed may never be opened again. */
function keepWorktreeStores(root: string): void {
  const dirs = findGitDirs(root)
  if (dirs !== undefined) lockWorktrees(dirs.common)
}

function ownState(root: string): string {
  const stores = locateWorktreeStores(root)
  if (stores !== undefined) return stores.own
  throw new Failure(
    'invalid_input',
    'scope: only a linked worktree can have a store of its own; make one with `git worktree add`',
    { details: { field: 'scope' } },
  )
}

function outsideGit(root: string): Project {
  assertOwned(root, [])
  return { root, stateDir: join(root, '.waymark', 'state'), inGit: false }
}

/** A clone has no knowledge of its own, but its remote may have. */
function notInitialised(project?: Project): Failure {
  const more =
    project !== undefined && hasRemote(project.root)
      ? ', which also looks for knowledge on the remote'
      : ''
  return new Failure(
    'not_initialised',
    `this is not a Waymark project yet; run \`waymark init\`${more}`,
    project === undefined ? {} : { details: { stateDir: project.stateDir } },
  )
}
