import { fork } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { createContext } from '../../../src/context.ts'
import { execute } from '../../../src/execute.ts'
import { SILENT } from '../../../src/logger.ts'
import { createTasks } from '../../../src/operations/tasks.ts'
import { initialiseProject, openProject } from '../../../src/project.ts'
import type { Fault } from './faults.ts'
import type { Call } from './record.ts'
import type { Assignment } from './worker.ts'

export interface HistoryOptions {
  readonly directory: string
  readonly workers: number
  readonly callsEach: number
  readonly tasks: number
  readonly seed: number
  readonly fault?: Fault
}

/** So fast that a lease of a minute runs out while others wait for the lock. */
const SPEED = 400

/** Lets many processes loose on a few tasks and returns everything they did, by task. */
export async function runHistory(options: HistoryOptions): Promise<ReadonlyMap<string, Call[]>> {
  const { directory, workers, callsEach, seed, fault } = options
  await initialiseProject(directory)
  const tasks = await makeTasks(directory, options.tasks)
  const script = await buildWorker()
  const epoch = Number(process.hrtime.bigint()) / 1e6
  const assignments = Array.from({ length: workers }, (_, worker): Assignment => ({
    directory,
    worker,
    calls: callsEach,
    tasks,
    speed: SPEED,
    epoch,
    seed: seed * 1000 + worker,
    ...(fault !== undefined && { fault }),
  }))
  const histories = await Promise.all(
    assignments.map((assignment) => runWorker(script, assignment)),
  )
  const calls = histories.flat()
  return new Map(tasks.map((task) => [task, calls.filter((call) => call.task === task)]))
}

async function makeTasks(directory: string, count: number): Promise<string[]> {
  await using project = await openProject(directory)
  const context = createContext({
    store: project.store,
    agent: { name: 'test', surface: 'api' },
    logger: SILENT,
    // Long before the workers' clock begins, which must not be held back by ours.
    now: () => 0,
  })
  const { tasks } = await execute(context, createTasks, {
    tasks: Array.from({ length: count }, (_, at) => ({ title: `T${at}` })),
  })
  return tasks.map(({ id }) => id)
}

function runWorker(script: string, assignment: Assignment): Promise<Call[]> {
  return new Promise((resolve, reject) => {
    const child = fork(script, [JSON.stringify(assignment)], { stdio: 'inherit' })
    child.once('message', (history) => resolve(history as Call[]))
    child.once('exit', (code) => {
      if (code !== 0) reject(new Error(`worker ${assignment.worker} ended with ${code}`))
    })
  })
}

/** One file that starts at once: sixteen processes that each translate the sources would take longer than the test. */
async function buildWorker(): Promise<string> {
  const folder = fileURLToPath(new URL('../../../node_modules/.cache/', import.meta.url))
  mkdirSync(folder, { recursive: true })
  const outfile = `${folder}history-worker-${process.pid}.mjs`
  await build({
    entryPoints: [fileURLToPath(new URL('./worker.ts', import.meta.url))],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    conditions: ['@waymark/source'],
    mainFields: ['module', 'main'],
    external: ['@photostructure/sqlite', 'loro-crdt'],
    logLevel: 'error',
  })
  return outfile
}
