// One of many agents that fight for the same few tasks; writes down every call it makes and what came of it.
import { writeSync } from 'node:fs'
import { type Context, createContext } from '../../../packages/waymark/src/context.ts'
import { agentIdOf } from '../../../packages/waymark/src/domain/agent.ts'
import { Failure } from '../../../packages/waymark/src/error.ts'
import { execute } from '../../../packages/waymark/src/execute.ts'
import { SILENT } from '../../../packages/waymark/src/logger.ts'
import {
  claimTask,
  releaseTask,
  renewTask,
} from '../../../packages/waymark/src/operations/task-leases.ts'
import { completeTask, reopenTask } from '../../../packages/waymark/src/operations/task-states.ts'
import { updateTask } from '../../../packages/waymark/src/operations/tasks.ts'
import { openProject } from '../../../packages/waymark/src/project.ts'
import { createRandom } from '../../../packages/baton/test/support/random.ts'
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
}

const assignment = JSON.parse(process.argv[2] ?? '') as Assignment
for (const call of await work(assignment)) writeSync(1, `${JSON.stringify(call)}\n`)

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
  const now = (): number => readClock(clock)
  const context = createContext({
    store,
    agent: { name, surface: 'api' },
    logger: SILENT,
    now: () => Math.floor(now() + clock.skew),
  })
  const random = createRandom(clock.seed)
  const fences = new Map<string, number>()
  const history: Call[] = []
  for (let made = 0; made < calls; made += 1) {
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
    const outcome = await call(context, kind, task, fence)
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

async function call(
  context: Context,
  kind: Call['kind'],
  id: string,
  fence: number | undefined,
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
        await execute(context, updateTask, { id, fence, content: context.newId() })
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
  return Date.parse('2026-11-15T12:00:00Z') + elapsed * speed
}
