import fc, { type Scheduler } from 'fast-check'
import { createContext, type Context } from '../../../packages/waymark/src/core/context.ts'
import { Failure } from '../../../packages/waymark/src/core/error.ts'
import { execute } from '../../../packages/waymark/src/core/execute.ts'
import { SILENT } from '../../../packages/waymark/src/support/logger.ts'
import type { Operation } from '../../../packages/waymark/src/core/operation.ts'
import { endExpiredLeases } from '../../../packages/waymark/src/task/lease/expire-leases.ts'
import { claimTask } from '../../../packages/waymark/src/task/lease/operations.ts'
import { cancelTask, completeTask } from '../../../packages/waymark/src/task/state/operations.ts'
import { createTask } from '../../../packages/waymark/src/task/operations.ts'
import {
  initialiseProject,
  openProject,
} from '../../../packages/waymark/src/core/project/project.ts'
import type { Store } from '../../../packages/waymark/src/core/store/store.ts'
import type { Findings, Proof, Trial } from '../../proof.ts'
import { createFolder, IN_MEMORY } from '../../system/folder.ts'
import { scheduleStore } from './scheduled-store.ts'
import { toEntityId } from '../../../packages/waymark/src/entity/entity-id.ts'

const SCHEDULES = { short: 300, full: 5000 }
const DAY_MS = 24 * 60 * 60 * 1000

/** A holder ends its task after its lease has run out, while others take the lease back or want the task. */
export const housekeeping: Proof = {
  id: 'housekeeping',
  promise: 'What was finished stays finished, in whatever order a housekeeper takes its steps',
  unit: 'schedules',
  goal: 20_000,
  faults: ['rescuer_by_id', 'breaks_down'],
  run: trySchedules,
}

const RIVALS = ['nobody', 'housekeeper', 'claimer'] as const

interface Race {
  readonly end: 'complete' | 'cancel'
  readonly rival: (typeof RIVALS)[number]
  readonly scheduler: Scheduler
}

async function trySchedules({ seed, level, fault }: Trial): Promise<Findings> {
  using folder = createFolder(IN_MEMORY)
  await initialiseProject(folder.path)
  // A connection for each of them, as if they were processes.
  await using worker = await openProject(folder.path)
  await using keeper = await openProject(folder.path)
  await using third = await openProject(folder.path)
  const clock = { now: Date.parse('2026-11-15T12:00:00Z') }
  const found = { rewritten: 0, both: 0, neither: 0 }
  const stores = { worker: worker.store, keeper: keeper.store, third: third.store }
  const race = fc.record({
    end: fc.constantFrom('complete' as const, 'cancel' as const),
    rival: fc.constantFrom(...RIVALS),
    scheduler: fc.scheduler(),
  })
  const property = fc.asyncProperty(race, async (race) => {
    clock.now += DAY_MS
    const violation = await run(stores, clock, race, fault)
    if (violation !== undefined) found[violation] += 1
    return violation === undefined
  })
  const details = await fc.check(property, { seed, numRuns: SCHEDULES[level], endOnFailure: true })
  const isExplained = Object.values(found).some((count) => count > 0)
  return {
    tried: details.numRuns,
    violations: { ...found, crashed: details.failed && !isExplained ? 1 : 0 },
    example: details.failed ? fc.defaultReportMessage(details)?.slice(0, 3000) : undefined,
  }
}

interface Stores {
  readonly worker: Store
  readonly keeper: Store
  readonly third: Store
}

/** One task, one race for it. Answers what went wrong. */
async function run(
  stores: Stores,
  clock: { now: number },
  { end, rival, scheduler }: Race,
  fault: string | undefined,
): Promise<'rewritten' | 'both' | 'neither' | undefined> {
  const as = (name: string, store: Store): Context =>
    createContext({
      store,
      agent: { name, surface: 'api' },
      logger: SILENT,
      now: () => clock.now,
    })
  const ann = as('ann', stores.worker)
  const { task } = await execute(ann, createTask, { title: 'T' })
  await execute(ann, claimTask, { id: task.id, seconds: 60 })
  clock.now += 61_000

  const actor = (name: string, store: Store) => as(name, scheduleStore(store, scheduler, name))
  const operation: Operation = end === 'complete' ? completeTask : cancelTask
  const keep = async (context: Context) => {
    if (fault === 'breaks_down') throw new TypeError('what nobody expected')
    await (fault === 'rescuer_by_id' ? rescueById(context, task.id) : endExpiredLeases(context))
    return 'done'
  }
  const racing = Promise.all([
    attempt(() => execute(actor('ann', stores.worker), operation, { id: task.id })),
    attempt(() => keep(actor('housekeeper', stores.keeper))),
    rival === 'nobody'
      ? 'idle'
      : attempt(() =>
          rival === 'housekeeper'
            ? endExpiredLeases(actor('second housekeeper', stores.third))
            : execute(actor('bob', stores.third), claimTask, { id: task.id }),
        ),
  ])
  await scheduler.waitFor(racing)
  const [ended, , rivalled] = await racing
  const isClaimed = rival === 'claimer' && rivalled === 'done'
  if (ended === 'done' && isClaimed) return 'both'
  if (ended !== 'done' && !isClaimed) return 'neither'
  await endExpiredLeases(as('housekeeper', stores.keeper))
  const after = await stores.keeper.entities.byId(task.id)
  const holder = (await stores.keeper.leases.of(task.id))?.agentId ?? null
  const isOver = after?.status === (end === 'complete' ? 'done' : 'cancelled') && holder === null
  return ended === 'done' && !isOver ? 'rewritten' : undefined
}

async function attempt(work: () => Promise<unknown>): Promise<string> {
  try {
    await work()
    return 'done'
  } catch (error) {
    if (error instanceof Failure && error.code !== 'internal') return error.code
    throw error
  }
}

/** What a well-known job queue did: look for what has run out, and put it back by its id as it was then. */
async function rescueById(context: Context, id: string): Promise<void> {
  const { store } = context
  const [lease, task] = [
    await store.leases.of(toEntityId(id)),
    await store.entities.byId(toEntityId(id)),
  ]
  if (lease === undefined || task === undefined || lease.agentId === null) return
  await store.write(async (tx) => {
    await tx.leases.clear(toEntityId(id), { keepsFence: true, to: 'closed', now: 0 })
    const properties = { ...task.properties, status: 'todo' }
    await tx.entities.update(
      toEntityId(id),
      { status: 'todo', properties },
      { at: context.now(), by: 'rescuer' },
    )
  })
}
