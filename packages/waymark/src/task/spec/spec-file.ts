import { readFileSync } from 'node:fs'
import { lstat, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MACHINE_CLOCK } from '../../core/clock/machine-clock.ts'
import type { ReadContext } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import { withFileLock } from '../../support/files/file-lock.ts'
import { withField } from '../../support/files/file-failure.ts'
import { filesOf } from '../../support/files/project-files.ts'
import { putFile } from '../../support/files/put-file.ts'
import { parseYaml } from '../../support/yaml/parse-yaml.ts'
import type { ImportedTask } from '../import/imported-task.ts'
import { readSpec, SPEC_PATH } from '../import/lodestar.ts'
import type { Compared } from './spec-plan.ts'

/** In the state folder: what the file said when it and the tasks were last the same. */
const BASE_FILE = 'lodestar-spec.json'
const LOCK_FILE = 'lodestar-spec.lock'
const LONGEST_WAIT_MS = 10_000

export interface SpecFile {
  readonly text: string
  readonly tasks: readonly ImportedTask[]
  readonly base: Readonly<Record<string, Compared>>
}

/** The project's `.lodestar/spec.yaml`; undefined where there is none. */
export async function readSpecFile({ project }: ReadContext): Promise<SpecFile | undefined> {
  const files = filesOf({ ...(project !== undefined && { project }) })
  return await withField('path', async () => {
    await refuseLinks(project?.root)
    // First, because what another process writes to the file now is in the store already.
    const base = await readBase(project?.state)
    const text = await files?.readText(SPEC_PATH)
    if (text === undefined) return undefined
    const { tasks } = parseSpec(await parseYaml(text, SPEC_PATH))
    return { text, tasks, base }
  })
}

/** It is replaced as a whole, which would cut a link from what it leads to. */
async function refuseLinks(root: string | undefined): Promise<void> {
  if (root === undefined) return
  for (const path of [dirname(SPEC_PATH), SPEC_PATH]) {
    const stats = await lstat(join(root, path)).catch(() => undefined)
    if (stats?.isSymbolicLink() !== true) continue
    throw new Failure('conflict', `${path} is a symbolic link; put the file itself there`, {
      details: { field: 'path', id: path },
    })
  }
}

function parseSpec(value: unknown): { readonly tasks: readonly ImportedTask[] } {
  try {
    return readSpec(value)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    throw new Failure(
      'invalid_input',
      `${SPEC_PATH} is no spec.yaml of Lodestar; repair or remove it`,
      {
        details: { ...error.details, field: 'path' },
      },
    )
  }
}

/** Edits sooner than this after each other may leave the same time on the file. */
const CLOCK_STEP_MS = 2_500

/** Says whether the file or the store can have changed; undefined where that cannot be said. */
export async function readSpecState({ project, store }: ReadContext): Promise<string | undefined> {
  const stats = project && (await lstat(join(project.root, SPEC_PATH)).catch(() => undefined))
  if (stats === undefined || MACHINE_CLOCK.now() - stats.mtimeMs < CLOCK_STEP_MS) return undefined
  return [await store.version(), stats.mtimeMs, stats.size, stats.ino].join(' ')
}

/** Replaces the file, if it still says what was read. False if it was edited meanwhile. */
export async function replaceSpecFile(
  { project }: ReadContext,
  before: string,
  after: string,
): Promise<boolean> {
  if (project === undefined) return false
  const isUnchanged = () => readFileSync(join(project.root, SPEC_PATH), 'utf8') === before
  if (!isUnchanged()) return false
  const changed = new Failure('conflict', `${SPEC_PATH} was edited at this moment`)
  try {
    await filesOf({ project })?.put(SPEC_PATH, (file) => file.writeFile(after), {
      check: () => {
        if (!isUnchanged()) throw changed
      },
    })
    return true
  } catch (error) {
    if (error === changed) return false
    throw error
  }
}

/** One process at a time: the file, what it said last and the tasks belong together. */
export async function withSpecLock<T>(
  { project }: ReadContext,
  work: () => Promise<T>,
): Promise<T> {
  if (project?.state === undefined) return await work()
  return await withFileLock(join(project.state, LOCK_FILE), LONGEST_WAIT_MS, work)
}

async function readBase(state: string | undefined): Promise<SpecFile['base']> {
  if (state === undefined) return {}
  try {
    return JSON.parse(await readFile(join(state, BASE_FILE), 'utf8')) as SpecFile['base']
  } catch {
    // Without it, what was imported before says whether the file has changed since.
    return {}
  }
}

export async function writeBase({ project }: ReadContext, base: SpecFile['base']): Promise<void> {
  const { state } = project ?? {}
  if (state === undefined) return
  await putFile(join(state, BASE_FILE), (file) => file.writeFile(JSON.stringify(base)), {
    mode: 0o600,
  })
}
