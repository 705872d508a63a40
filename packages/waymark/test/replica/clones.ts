import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type * as z from 'zod'
import { objectFormat } from '../../src/git/objects/object-format.ts'
import { ObjectWriter } from '../../src/git/objects/object-writer.ts'
import type { ContextOptions } from '../../src/core/context.ts'
import type { Repository } from '../../src/git/repository.ts'
import { runSync } from '../../src/sync/operations.ts'
import type { SyncReport } from '../../src/sync/view.ts'
import { initialiseProject, openProject } from '../../src/core/project/project.ts'
import { moveLog } from '../../src/sync/log/log-ref.ts'
import { type LogVersion, writeSegments } from '../../src/sync/log/log-tree.ts'
import type { Segment } from '../../src/sync/log/segment.ts'
import { cloneRepository, copyBareRepository, copyDatabase } from '../template.ts'
import { type TestReplica, useStore } from './replicas.ts'

/** A clone of one bare repository, with a Waymark project in it. */
export interface Clone extends TestReplica {
  readonly directory: string
  git(...args: readonly string[]): string
  sync(input?: z.input<typeof runSync.input>): Promise<SyncReport>
}

export interface Team extends AsyncDisposable {
  /** The bare repository that everybody pushes to. */
  readonly remote: string
  clone(name: string, options?: CloneOptions): Promise<Clone>
}

type CloneOptions = Pick<ContextOptions, 'coordination'>

export function git(directory: string, ...args: readonly string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
  return execFileSync('git', ['-C', directory, ...args], { encoding: 'utf8', env, stdio: 'pipe' })
}

const NO_LOG: LogVersion = { tip: undefined, tree: new Map() }

/** Moves the log to these segments and no others. */
export async function putLog(
  repository: Repository,
  segments: Iterable<Segment>,
  ours: LogVersion = NO_LOG,
): Promise<void> {
  using writer = new ObjectWriter(repository, objectFormat(repository))
  const tree = await writeSegments(writer, segments)
  await moveLog(repository, { ours, theirs: NO_LOG, base: undefined }, { tree, writer, at: 0 })
}

export function createTeam(): Team {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-team-'))
  const remote = join(folder, 'remote.git')
  copyBareRepository(remote)
  const open: AsyncDisposable[] = []
  return {
    remote,
    clone: async (name, options) => {
      const directory = join(folder, name)
      cloneRepository(remote, directory)
      await copyDatabase(join(directory, '.git', 'waymark'))
      await initialiseProject(directory)
      const clone = await openClone(directory, name, options)
      open.push(clone)
      return clone
    },
    [Symbol.asyncDispose]: async () => {
      for (const clone of open) await clone[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** Opens what is in a folder, as another process would. */
export async function openClone(
  directory: string,
  name: string,
  options: CloneOptions = {},
): Promise<Clone> {
  const project = await openProject(directory)
  const replica = useStore(project.store, name, {
    code: project.code,
    project: { root: project.root },
    ...options,
  })
  return {
    ...replica,
    directory,
    git: (...args) => git(directory, ...args),
    sync: (input = {}) => replica.run(runSync, input),
    [Symbol.asyncDispose]: () => project[Symbol.asyncDispose](),
  }
}
