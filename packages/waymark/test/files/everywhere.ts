import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Context, createContext } from '../../src/core/context.ts'
import { answerHook } from '../../src/agent/on-hook.ts'
import { execute } from '../../src/core/execute.ts'
import { SILENT } from '../../src/support/logger.ts'
import { addArtifact } from '../../src/artifact/operations.ts'
import { getArtifact, readArtifact } from '../../src/artifact/content/content.ts'
import { exportBackup, importBackup } from '../../src/backup/operations.ts'
import { showCode } from '../../src/annotation/read/margin.ts'
import { allOperations } from '../../src/registry.ts'
import { createSnapshot } from '../../src/snapshot/operations.ts'
import { taskContext } from '../../src/task/queue/context.ts'
import { listEntities } from '../../src/entity/operations.ts'
import { EXPORT_FORMATS, IMPORT_SOURCES } from '../../src/exchange/names.ts'
import { exportTo, importFrom } from '../../src/exchange/operations.ts'
import { importTasks } from '../../src/task/import/operations.ts'
import { createTask } from '../../src/task/operations.ts'
import { initialiseProject, openProject } from '../../src/core/project/project.ts'

export const CANARY = 'what nobody is to see'

/** A folder for projects of all kinds, gone afterwards. */
export function createFolder(): { readonly path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'waymark-files-'))
  return {
    path,
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true, maxRetries: 10 }),
  }
}

export function git(directory: string, ...args: readonly string[]): void {
  const author = ['-c', 'user.name=Test Author', '-c', 'user.email=test@example.invalid']
  execFileSync('git', ['-C', directory, ...author, ...args], { stdio: 'pipe' })
}

/** A repository with one commit, in a new folder. */
export function createRepository(path: string, ...options: readonly string[]): string {
  mkdirSync(path, { recursive: true })
  git(path, 'init', '--quiet', ...options)
  writeFileSync(join(path, 'code.ts'), 'export const answer = 42\n')
  git(path, 'add', '.')
  git(path, 'commit', '--quiet', '--message', 'The answer')
  return path
}

/** A project as a caller from elsewhere sees it. */
export async function openFor(
  directory: string,
): Promise<{ readonly context: Context; readonly state: string } & AsyncDisposable> {
  await initialiseProject(directory)
  const project = await openProject(directory)
  const { store, root, state, code } = project
  const context = createContext({
    store,
    agent: { name: 'caller', surface: 'mcp' },
    logger: SILENT,
    project: { root, state },
    code,
  })
  return { context, state, [Symbol.asyncDispose]: () => project[Symbol.asyncDispose]() }
}

/** Everything that can be learned by giving this path to the operations that read files, as one text. */
export async function readThrough(context: Context, path: string): Promise<string> {
  const calls = [
    async () => {
      const { task } = await execute(context, createTask, {
        title: 'a task',
        prd_source: path,
        prd_refs: ['x:1-99'],
      })
      return [task, await execute(context, taskContext, { id: task.id, max_chars: 50_000 })]
    },
    async () => {
      const { id } = await execute(context, addArtifact, { path })
      return execute(context, readArtifact, { id })
    },
    () => execute(context, importTasks, { format: 'beads', path }),
    ...IMPORT_SOURCES.map((format) => async () => {
      const counts = await execute(context, importFrom, { format, path })
      return [counts, await execute(context, listEntities, {})]
    }),
    () => execute(context, importBackup, { path }),
    () => execute(context, answerHook, { event: 'after-edit', paths: [path] }),
    () => execute(context, showCode, { path }),
  ]
  return await answersOf(calls)
}

/** Tries to have something written to this path by every operation that writes to one. */
export async function writeThrough(context: Context, path: string): Promise<string> {
  const { id } = await execute(context, addArtifact, { text: 'planted' })
  const calls = [
    () => execute(context, getArtifact, { id, output: path, force: true }),
    () => execute(context, exportBackup, { path, force: true }),
    () => execute(context, createSnapshot, { output_dir: path }),
    ...EXPORT_FORMATS.map(
      (format) => () => execute(context, exportTo, { format, path, force: true }),
    ),
  ]
  return await answersOf(calls)
}

/** The same for every operation on code that takes a path or a file. */
export async function readCodeThrough(context: Context, path: string): Promise<string> {
  const inputs: Record<string, object> = {
    'code.annotate': { summary: 's', regions: [{ file: path, lines: '1:9', intent: 'i' }] },
    'code.correct': { path, text: 'wrong', commit: 'HEAD' },
    'code.context_set': { file: path, text: 'a' },
    'brief.show': { paths: [path] },
    'task.check_edit': { path },
  }
  const operations = await allOperations()
  const calls = operations
    .filter(
      ({ name, input }) =>
        inputs[name] !== undefined || (name.startsWith('code.') && 'path' in input.shape),
    )
    .map((operation) => () => execute(context, operation, inputs[operation.name] ?? { path }))
  return await answersOf(calls)
}

async function answersOf(calls: readonly (() => Promise<unknown>)[]): Promise<string> {
  const answers = []
  for (const call of calls) answers.push(await answerOf(call))
  return answers.join('\n')
}

async function answerOf(call: () => Promise<unknown>): Promise<string> {
  try {
    return `answer ${JSON.stringify(await call())}`
  } catch (error) {
    return `failure ${JSON.stringify(error)} ${String(error)}`
  }
}
