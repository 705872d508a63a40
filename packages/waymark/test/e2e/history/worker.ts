// One of many agents that fight for the same few tasks; writes down every call it makes and what came of it.
import { type Context, createContext } from '../../../src/context.ts'
import { agentIdOf } from '../../../src/domain/agent.ts'
import { Failure } from '../../../src/error.ts'
import { execute } from '../../../src/execute.ts'
import { SILENT } from '../../../src/logger.ts'
import { claimTask, releaseTask, renewTask } from '../../../src/operations/task-leases.ts'
import { completeTask, reopenTask } from '../../../src/operations/task-states.ts'
import { updateTask } from '../../../src/operations/tasks.ts'
import { openProject } from '../../../src/project.ts'
import { type Fault, withFault } from './faults.ts'
import type { Call, Outcome } from './record.ts'

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
  readonly fault?: Fault
}

const assignment = JSON.parse(process.argv[2] ?? '') as Assignment
const history = await work(assignment)
process.send?.(history, () => process.disconnect())

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
  const store = fault === undefined ? project.store : withFault(project.store, fault)
  const now = (): number => readClock(clock)
  const context = createContext({
    store,
    agent: { name, surface: 'api' },
    logger: SILENT,
    now: () => Math.floor(now()),
  })
  const random = createRandom(clock.seed)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  const fences = new Map<string, number>()
  const history: Call[] = []
  for (let made = 0; made < calls; made += 1) {
    const task = pick(tasks)
    const fence = fences.get(task)
    // An agent that forgets to renew for a while comes back with a number that is no longer good.
    const kind =
      fence === undefined
        ? pick(['claim', 'claim', 'claim', 'reopen'] as const)
        : pick(['claim', 'renew', 'write', 'write', 'release', 'complete', 'reopen'] as const)
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
        const { lease, renewed } = await execute(context, claimTask, { id, seconds: 60 })
        const expiresAt = Date.parse(lease.expires_at)
        return { is: renewed ? 'renewed' : 'granted', fence: lease.fence, expiresAt }
      }
      case 'renew': {
        const { lease } = await execute(context, renewTask, { id, fence, seconds: 60 })
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

/** Mulberry32: small, and the same for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
