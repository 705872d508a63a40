import { randomUUID } from 'node:crypto'
import { existsSync, linkSync, lstatSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { type FileHandle, lstat, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MACHINE_CLOCK } from '../../core/clock/machine-clock.ts'
import type { ReadContext } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import { violation } from '../../core/input/parse.ts'
import { type FileLock, withFileLock } from '../../support/files/file-lock.ts'
import { withField } from '../../support/files/file-failure.ts'
import { filesOf } from '../../support/files/project-files.ts'
import { putFile } from '../../support/files/put-file.ts'
import { hasCode } from '../../support/system-error.ts'
import { editYaml, parseYaml, type YamlEdit } from '../../support/yaml/parse-yaml.ts'
import { isRecord, toIso } from '../import/imported-task.ts'
import { readSpec, SPEC_PATH } from '../import/lodestar.ts'
import type { Base, Bases, SpecTasks } from './spec-plan.ts'

/** In the state folder: what the file said when it and the tasks were last the same. */
const BASE_FILE = 'lodestar-spec.json'
const LOCK_FILE = 'lodestar-spec.lock'
const LONGEST_WAIT_MS = 10_000

export interface SpecFile {
  readonly text: string
  readonly file: SpecTasks
  readonly base: Bases
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
    refuseLossy(text)
    return { text, file: await parseSpec(text), base }
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

/** Bytes that are no UTF-8 were read as this character, and would be written back as it. */
function refuseLossy(text: string): void {
  if (!text.includes('\u{FFFD}')) return
  throw violation(
    'path',
    'bad_format',
    `${SPEC_PATH} is not UTF-8, or has U+FFFD; save it as UTF-8`,
  )
}

/** The last text: most calls find the file as it was, and parsing is the dearest part of them. */
let last: { readonly text: string; readonly file: SpecTasks } | undefined

export async function parseSpec(text: string): Promise<SpecTasks> {
  if (last?.text !== text) last = { text, file: toSpecTasks(await parseYaml(text, SPEC_PATH)) }
  return last.file
}

/** The text with these edits. */
export async function editSpec(text: string, edits: readonly YamlEdit[]): Promise<string> {
  if (edits.length === 0) return text
  const edited = await editYaml(text, edits, SPEC_PATH)
  last = { text: edited.text, file: toSpecTasks(edited.value) }
  return edited.text
}

function toSpecTasks(value: unknown): SpecTasks {
  try {
    return { tasks: readSpec(value).tasks, versions: toVersions(value) }
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

function toVersions(spec: unknown): SpecTasks['versions'] {
  const tasks = isRecord(spec) && isRecord(spec['tasks']) ? Object.entries(spec['tasks']) : []
  return new Map(
    tasks.flatMap(([key, task]): [string, string][] => {
      const version = isRecord(task) ? toIso(task['updated_at']) : undefined
      return version === undefined ? [] : [[key, version]]
    }),
  )
}

/** Edits sooner than this after each other may leave the same time on the file. */
const CLOCK_STEP_MS = 2_500

/** Says whether the file or the store can have changed; undefined where that cannot be said. */
export async function readSpecState({ project, store }: ReadContext): Promise<string | undefined> {
  const stats = project && (await lstat(join(project.root, SPEC_PATH)).catch(() => undefined))
  if (stats === undefined || MACHINE_CLOCK.now() - stats.mtimeMs < CLOCK_STEP_MS) return undefined
  return [await store.version(), stats.mtimeMs, stats.ctimeMs, stats.size, stats.ino].join(' ')
}

/**
 * Replaces the file, if it still says what was read and the lock is held. False if it was edited meanwhile, also by a
 * program that had opened the replaced one: then that is put back.
 */
export async function replaceSpecFile(
  { project }: ReadContext,
  { before, after, lock }: { readonly before: string; readonly after: string; lock: FileLock },
): Promise<boolean> {
  if (project === undefined) return false
  const path = join(project.root, SPEC_PATH)
  const replaced = `${path}.waymark-${randomUUID().slice(0, 8)}.tmp`
  const changed = new Failure('conflict', `${SPEC_PATH} was edited at this moment`)
  try {
    const { mode } = await lstat(path)
    const write = async (file: FileHandle) => {
      await file.chmod(mode & 0o777)
      await file.writeFile(after)
    }
    const check = () => {
      const isKept = tryLink(path, replaced)
      if (readFileSync(path, 'utf8') !== before || !lock.isHeld()) throw changed
      if (isKept && lstatSync(path).ino !== lstatSync(replaced).ino) throw changed
    }
    await filesOf({ project })?.put(SPEC_PATH, write, { check })
    if (!existsSync(replaced) || readFileSync(replaced, 'utf8') === before) return true
    renameSync(replaced, path)
    return false
  } catch (error) {
    if (error === changed || hasCode(error, ['ENOENT'])) return false
    throw error
  } finally {
    rmSync(replaced, { force: true })
  }
}

/** Some file systems have no hard links; there an edit is missed that is written to the file while it is replaced. */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch {
    return false
  }
}

/** One process at a time: the file, what it said last and the tasks belong together. */
export async function withSpecLock<T>(
  { project }: ReadContext,
  work: (lock: FileLock) => Promise<T>,
): Promise<T> {
  if (project?.state === undefined) return await work({ isHeld: () => true })
  const path = join(project.state, LOCK_FILE)
  return await withFileLock(path, LONGEST_WAIT_MS, async (lock) => {
    if (lock !== undefined) return await work(lock)
    throw new Failure('busy', `another process is at ${SPEC_PATH}; try again`, {
      details: { field: 'path', id: path },
    })
  })
}

async function readBase(state: string | undefined): Promise<Bases> {
  if (state === undefined) return new Map()
  try {
    const bases: unknown = JSON.parse(await readFile(join(state, BASE_FILE), 'utf8'))
    return new Map(Object.entries(bases as Record<string, Base>))
  } catch {
    // Without it, what was imported before says whether the file has changed since.
    return new Map()
  }
}

export async function writeBase({ project }: ReadContext, text: string): Promise<void> {
  const { state } = project ?? {}
  if (state === undefined) return
  await putFile(join(state, BASE_FILE), (file) => file.writeFile(text), { mode: 0o600 })
}
