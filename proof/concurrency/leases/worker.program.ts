// One of many agents that fight for the same few tasks; writes down every call it makes and what came of it.
import { writeSync } from 'node:fs'
import { type Context, createContext } from '../../../packages/waymark/src/core/context.ts'
import { agentIdOf } from '../../../packages/waymark/src/agent/agent.ts'
import { Failure } from '../../../packages/waymark/src/core/error.ts'
import { execute } from '../../../packages/waymark/src/core/execute.ts'
import { SILENT } from '../../../packages/waymark/src/support/logger.ts'
import { MachineClock } from '../../../packages/waymark/src/core/clock/machine-clock.ts'
import {
  claimTask,
  releaseTask,
  renewTask,
} from '../../../packages/waymark/src/task/lease/operations.ts'
import { sendMessage } from '../../../packages/waymark/src/message/operations.ts'
import { editTasks } from '../../../packages/waymark/src/task/state/bulk.ts'
import {
  completeTask,
  deferTask,
  reopenTask,
  rescheduleTask,
  verifyTask,
} from '../../../packages/waymark/src/task/state/operations.ts'
import { updateTask } from '../../../packages/waymark/src/task/operations.ts'
import { openProject } from '../../../packages/waymark/src/core/project/project.ts'
import { createRandom, type Random } from '../../../packages/baton/test/support/random.ts'
import { type LeaseFault, withLeaseFault } from './faults.ts'
import { type Call, LEASE_SECONDS, type Outcome } from './record.ts'

export interface Assignment {
  readonly directory: string
  readonly worker: number
  readonly calls: number
  readonly tasks: readonly string[]
  /** How many times faster than the real one the clock of the leases runs, so that leases run out in earnest. */
  readonly speed: number
  /** On the machine's monotonic clock, which all processes share. */
  readonly epoch: number
  readonly seed: number
  readonly fault?: LeaseFault | undefined
  /** How far the wall clock of this process is off, in milliseconds. */
  readonly skew: number
  /** Whether it is set now and then. */
  readonly jumps: boolean
  /** Whether the process can make files, whose times are right. */
  readonly makesFiles: boolean
}

const START = Date.parse('2026-11-15T12:00:00Z')
const MINUTE_MS = 60_000
const YEAR = 365.25 * 1440
/** By how much clocks are set: by a summer time, a time server, a dead battery, a library that fakes the time. */
const JUMPS_MS = [1, 10, 60, 1440, 2 * 1440, 1000 * YEAR]
  .flatMap((minutes) => [-minutes, minutes])
  .map((minutes) => minutes * MINUTE_MS)
/** Of so many calls one is made with a clock that was just set. */
const CALLS_PER_JUMP = 20

async function work({
  directory,
  worker,
  calls,
  tasks,
  fault,
  ...clock
}: Assignment): Promise<Call[]> {
  await using project = await openProject(directory)
  const name = `worker ${worker}`
  const store = fault === undefined ? project.store : withLeaseFault(project.store, fault)
  // History is written in the time that all share; the process itself knows only its own clock.
  const now = (): number => Math.floor(readClock(clock))
  let wrong = clock.skew
  const machine = new MachineClock({
    wall: () => Math.floor(now() + wrong),
    monotonic: now,
    fileTime: () => (clock.makesFiles ? now() : undefined),
    boot: () => 1,
    uptime: () => now() - START,
  })
  const context = createContext({
    store,
    agent: { name, surface: 'api' },
    logger: SILENT,
    now: () => machine.now(),
    uptime: () => machine.uptime(),
  })
  const random = createRandom(clock.seed)
  const fences = new Map<string, number>()
  const history: Call[] = []
  for (let made = 0; made < calls; made += 1) {
    if (clock.jumps && random.below(CALLS_PER_JUMP) === 0) {
      wrong = clock.skew + random.pick(JUMPS_MS)
    }
    const task = random.pick(tasks)
    const fence = fences.get(task)
    // An agent that forgets to renew for a while comes back with a number that is no longer good.
    const kind =
      fence === undefined
        ? random.pick(['claim', 'claim', 'claim', 'reopen'] as const)
        : random.pick([
            'claim',
            'renew',
            'write',
            'write',
            'release',
            'complete',
            'reopen',
          ] as const)
    const start = Math.floor(now())
    const outcome = await call(context, kind, task, { fence, random })
    const end = Math.ceil(now())
    history.push({
      worker,
      agent: agentIdOf(name),
      task,
      kind,
      start,
      end,
      ...(fence !== undefined && { fence }),
      outcome,
    })
    if (outcome.is === 'granted') fences.set(task, outcome.fence)
  }
  return history
}

type Write = (context: Context, id: string, fence: number | undefined) => Promise<unknown>

/** All that a holder does to a task besides ending it. None of it has a say in who holds the task. */
const WRITES: readonly Write[] = [
  (context, id, fence) => execute(context, updateTask, { id, fence, content: context.newId() }),
  (context, id, fence) => execute(context, rescheduleTask, { id, fence, due_date: '2026-12-01' }),
  (context, id, fence) => execute(context, deferTask, { id, fence, until: null }),
  (context, id, fence) => execute(context, sendMessage, { task: id, fence, body: 'as holder' }),
  (context, id, fence) =>
    execute(context, editTasks, {
      edits: [{ id, action: 'update', fence, content: context.newId() }],
    }),
  async (context, id, fence) => {
    try {
      await execute(context, verifyTask, { id, fence })
    } catch (error) {
      // It got past the fence; only there is nothing to verify yet.
      const isAdmitted = error instanceof Failure && error.details['reason'] === 'not_done'
      if (!isAdmitted) throw error
    }
  },
]

async function call(
  context: Context,
  kind: Call['kind'],
  id: string,
  { fence, random }: { fence: number | undefined; random: Random },
): Promise<Outcome> {
  try {
    switch (kind) {
      case 'claim': {
        const { lease, renewed } = await execute(context, claimTask, { id, seconds: LEASE_SECONDS })
        const expiresAt = Date.parse(lease.expires_at)
        return { is: renewed ? 'renewed' : 'granted', fence: lease.fence, expiresAt }
      }
      case 'renew': {
        const { lease } = await execute(context, renewTask, { id, fence, seconds: LEASE_SECONDS })
        return { is: 'renewed', fence: lease.fence, expiresAt: Date.parse(lease.expires_at) }
      }
      case 'release':
        await execute(context, releaseTask, { id, fence })
        return { is: 'done' }
      case 'write':
        await random.pick(WRITES)(context, id, fence)
        return { is: 'done' }
      case 'complete': {
        const { changed } = await execute(context, completeTask, { id, fence })
        return { is: changed ? 'done' : 'unchanged' }
      }
      case 'reopen': {
        const { changed } = await execute(context, reopenTask, { id })
        return { is: changed ? 'done' : 'unchanged' }
      }
    }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { reason } = error.details
    return { is: 'refused', reason: typeof reason === 'string' ? reason : error.code }
  }
}

function readClock({ epoch, speed }: Pick<Assignment, 'epoch' | 'speed'>): number {
  const elapsed = Number(process.hrtime.bigint()) / 1e6 - epoch
  return START + elapsed * speed
}

const assignment = JSON.parse(process.argv[2] ?? '') as Assignment
for (const call of await work(assignment)) writeSync(1, `${JSON.stringify(call)}\n`)
