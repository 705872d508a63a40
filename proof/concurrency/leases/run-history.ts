import { setTimeout as sleep } from 'node:timers/promises'
import { createContext } from '../../../packages/waymark/src/core/context.ts'
import { execute } from '../../../packages/waymark/src/core/execute.ts'
import { SILENT } from '../../../packages/waymark/src/support/logger.ts'
import { createTasks } from '../../../packages/waymark/src/task/operations.ts'
import { openProject } from '../../../packages/waymark/src/core/project/project.ts'
import { buildProgram, Program } from '../../system/program.ts'
import { createRandom, type Random } from '../../../packages/baton/test/support/random.ts'
import type { LeaseFault } from './faults.ts'
import type { Call } from './record.ts'
import type { Assignment } from './worker.program.ts'

export interface HistoryOptions {
  readonly directory: string
  readonly workers: number
  readonly callsEach: number
  readonly tasks: number
  readonly seed: number
  readonly fault?: LeaseFault | undefined
  /** The clocks of the processes differ by up to so much in either direction, in milliseconds. */
  readonly skew: number
  /** The clocks are also set while the processes run. */
  readonly jumps: boolean
  /** The processes can tell by a new file that their clock is wrong. */
  readonly makesFiles: boolean
}

/** So fast that a lease of a minute runs out while others wait for the lock. */
const SPEED = 400

const SPEEDS: Partial<Record<LeaseFault, number>> = {
  // A task is set aside when three leases were lost, so for this mistake hardly any may be kept.
  never_set_aside: 10 * SPEED,
  // A lease has to run out in the short time for which a process waits for the lock.
  rescuer_by_id: 4 * SPEED,
}

/** In the time of the leases more than the minute that they last. */
const PAUSE_MS = 250

/** Lets many processes loose on a few tasks and returns everything they did, by task. */
export async function runHistory(options: HistoryOptions): Promise<ReadonlyMap<string, Call[]>> {
  const { directory, workers, callsEach, seed, fault, skew, jumps, makesFiles } = options
  const tasks = await makeTasks(directory, options.tasks)
  const script = await buildProgram(new URL('worker.program.ts', import.meta.url))
  const epoch = Number(process.hrtime.bigint()) / 1e6
  const assignments = Array.from({ length: workers }, (_, worker): Assignment => ({
    directory,
    worker,
    calls: callsEach,
    tasks,
    speed: (fault && SPEEDS[fault]) ?? SPEED,
    epoch,
    seed: seed * 1000 + worker,
    // From the slowest clock to the fastest in even steps.
    skew: skew * ((2 * worker) / (workers - 1) - 1),
    jumps,
    makesFiles,
    fault,
  }))
  const programs = assignments.map((assignment) => new Program(script, assignment))
  const finished = Promise.all(programs.map((program) => program.finish()))
  await pauseSome(programs, finished, createRandom(seed))
  await finished
  const calls = programs.flatMap((program) => program.reports<Call>())
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

/** Stops one process after the other for longer than its leases last, as a sleeping laptop would. */
async function pauseSome(
  programs: readonly Program[],
  finished: Promise<unknown>,
  random: Random,
): Promise<void> {
  let isOver = false
  const over = finished.then(() => (isOver = true))
  while (!isOver) {
    await Promise.race([over, sleep(50 + random.below(100))])
    const program = random.pick(programs)
    program.signal('SIGSTOP')
    await Promise.race([over, sleep(PAUSE_MS)])
    program.signal('SIGCONT')
  }
}
