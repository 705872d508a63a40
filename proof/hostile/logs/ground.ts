import { execFileSync } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execute } from '../../../packages/waymark/src/core/execute.ts'
import { annotateCode } from '../../../packages/waymark/src/annotation/write/annotate.ts'
import { createEntity } from '../../../packages/waymark/src/entity/operations.ts'
import { runSync } from '../../../packages/waymark/src/sync/operations.ts'
import {
  initialiseProject,
  openProject,
} from '../../../packages/waymark/src/core/project/project.ts'
import { git } from '../../durability/acknowledgement.ts'
import { contextOf } from '../../system/agent.ts'
import { createFolder, IN_MEMORY } from '../../system/folder.ts'
import type { Target, Targets } from './lines/forge.ts'

export const LOG_REF = 'refs/waymark/log'
export const NOTES_REF = 'refs/notes/waymark'

const COMMITS = 4
const ENTITIES = { kept: 6, edited: 3, purged: 6 }

export interface Honest {
  readonly id: string
  readonly title: string
  readonly content: string | null
}

/** A bare remote, and a clone with knowledge and annotations in it that have been sent. */
export interface Ground extends Disposable {
  readonly remote: string
  /** The first clone. */
  readonly ada: string
  readonly targets: Targets
  readonly honest: readonly Honest[]
  /** Commits of the branch, the first two annotated. */
  readonly commits: readonly string[]
  /** Ids of annotations. */
  readonly annotations: readonly string[]
  /** Honest annotations as they are written. */
  readonly records: readonly string[]
  clone(name: string): Promise<string>
}

/** What is the same in every copy of the ground. */
type Knowledge = Omit<Ground, 'remote' | 'ada' | 'clone' | keyof Disposable>

interface Template extends Knowledge {
  readonly folder: string
}

let template: Promise<Template> | undefined

/** A copy of one ground, which takes seconds to make. */
export async function createGround(): Promise<Ground> {
  template ??= createTemplate()
  const { folder: original, ...knowledge } = await template
  const folder = createFolder(IN_MEMORY)
  cpSync(original, folder.path, { recursive: true })
  const [remote, ada] = [join(folder.path, REMOTE), join(folder.path, ADA)]
  git(ada, 'remote', 'set-url', 'origin', remote)
  return {
    ...knowledge,
    remote,
    ada,
    clone: (name) => clone(folder.path, name),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

const REMOTE = 'remote.git'
const ADA = 'ada'

async function createTemplate(): Promise<Template> {
  const folder = createFolder(IN_MEMORY)
  process.once('exit', () => folder[Symbol.dispose]())
  const remote = join(folder.path, REMOTE)
  git(folder.path, 'init', '--quiet', '--bare', '--initial-branch=main', remote)
  const ada = await clone(folder.path, ADA)
  const commits = commit(ada)
  const known = await know(ada, commits)
  const lines = readLines(remote)
  const toTarget = ({ id, number }: Known): Target => {
    return { id, number, lines: lines.filter((line) => line.startsWith(`{"e":"${id}"`)) }
  }
  const targets = {
    kept: known.kept.map(toTarget),
    edited: known.edited.map(toTarget),
    purged: known.purged.map(toTarget),
  }
  return {
    folder: folder.path,
    targets,
    honest: [...known.kept, ...known.purged],
    commits,
    annotations: known.annotations,
    records: readNote(ada, commits[0] ?? '')
      .trim()
      .split('\n'),
  }
}

async function clone(folder: string, name: string): Promise<string> {
  const directory = join(folder, name)
  git(folder, 'clone', '--quiet', join(folder, REMOTE), directory)
  for (const [key, value] of Object.entries({ name, email: `${name}@example.invalid` })) {
    git(directory, 'config', `user.${key}`, value)
  }
  await initialiseProject(directory)
  return directory
}

/** Answers the commits, newest first. */
function commit(directory: string): readonly string[] {
  writeFileSync(join(directory, 'code.ts'), 'export const answer = 42\n')
  git(directory, 'add', '.')
  for (let n = 0; n < COMMITS; n += 1) {
    git(directory, 'commit', '--quiet', '--allow-empty', '--message', `commit ${n}`)
  }
  git(directory, 'push', '--quiet', 'origin', 'HEAD:main')
  return git(directory, 'rev-list', 'HEAD').trim().split('\n')
}

interface Known extends Honest {
  readonly number: number
}

async function know(directory: string, commits: readonly string[]) {
  await using project = await openProject(directory)
  const context = contextOf(project, 'ada')
  const create = async (count: number, what: string): Promise<Known[]> => {
    const created: Known[] = []
    for (let n = 0; n < count; n += 1) {
      const type = n % 2 === 0 ? ('note' as const) : ('task' as const)
      const [title, content] = [`${what} ${n}`, `the first line of ${what} ${n}\nthe second`]
      const { id, number } = await execute(context, createEntity, {
        type,
        title,
        content,
        tags: ['honest'],
      })
      created.push({ id, number, title, content })
    }
    return created
  }
  const known = {
    kept: await create(ENTITIES.kept, 'kept'),
    edited: await create(ENTITIES.edited, 'edited'),
    purged: await create(ENTITIES.purged, 'purged'),
  }
  const annotations: string[] = []
  for (const each of commits.slice(0, 2)) {
    const regions = [{ file: 'code.ts', intent: `why ${each} is as it is` }]
    const input = { commit: each, summary: `what ${each} is about, at length`, regions }
    annotations.push((await execute(context, annotateCode, input)).record)
  }
  await execute(context, runSync, {})
  return { ...known, annotations }
}

function readLines(remote: string): readonly string[] {
  const blobs = git(remote, 'ls-tree', '--object-only', LOG_REF).trim().split('\n')
  return blobs.flatMap((blob) => git(remote, 'cat-file', 'blob', blob).trim().split('\n'))
}

/** Empty where there is none. */
function readNote(directory: string, commit: string): string {
  const args = ['-C', directory, 'notes', `--ref=${NOTES_REF}`, 'show', commit]
  try {
    return execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1 << 28, stdio: 'pipe' })
  } catch {
    return ''
  }
}
