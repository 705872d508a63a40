import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Context, createContext } from '../../src/core/context.ts'
import { Failure } from '../../src/core/error.ts'
import { execute } from '../../src/core/execute.ts'
import { SILENT } from '../../src/support/logger.ts'
import type { Operation } from '../../src/core/operation.ts'
import { createRelation, deleteRelation } from '../../src/relation/operations.ts'
import { blockedTasks, readyTasks } from '../../src/task/queue/operations.ts'
import {
  cancelTask,
  completeTask,
  reopenTask,
  verifyTask,
} from '../../src/task/state/operations.ts'
import { createTasks, getTask } from '../../src/task/operations.ts'
import { initialiseProject, openProject } from '../../src/core/project/project.ts'
import { IN_MEMORY } from '../in-memory.ts'
import { SEED } from '../seed.ts'
import { START } from '../setup.ts'
import {
  blocked,
  type Model,
  type ModelTask,
  newModelTask,
  reaches,
  ready,
} from './queue-model/model.ts'
import { toEntityId } from '../../src/entity/entity-id.ts'

/** More for a soak: `WAYMARK_READY_RUNS=5000`. */
const RUNS = Number(process.env['WAYMARK_READY_RUNS'] ?? 40)

const TASKS = 5

type Step =
  | { readonly do: 'complete' | 'verify' | 'cancel' | 'reopen'; readonly task: number }
  | {
      readonly do: 'relate' | 'unrelate'
      readonly from: number
      readonly to: number
      readonly type: 'blocks' | 'subtask_of'
    }

const index = fc.nat(TASKS - 1)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('complete' as const, 'verify' as const),
      task: index,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('cancel' as const, 'reopen' as const),
      task: index,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom('relate' as const, 'relate' as const, 'unrelate' as const),
      from: index,
      to: index,
      type: fc.constantFrom('blocks' as const, 'blocks' as const, 'subtask_of' as const),
    }),
  },
)

/** What waits for what to begin with: a few edges that make no circle. */
const edges: fc.Arbitrary<Step[]> = fc
  .subarray(
    Array.from({ length: TASKS }, (_, from) => from).flatMap((from) =>
      Array.from({ length: TASKS - 1 - from }, (_, at) => ({ from, to: from + 1 + at })),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((pairs) => pairs.map((pair) => ({ ...pair, do: 'relate', type: 'blocks' })))

/** What is done at the same time. */
const batch = fc.array(step, { minLength: 2, maxLength: 8 })

it(`whatever is related, completed and verified at the same time, ready is what the relations say, in ${RUNS} runs [ready-model-whatever-related]`, async () => {
  const directory = mkdtempSync(join(IN_MEMORY, 'waymark-ready-'))
  try {
    await initialiseProject(directory)
    // As if they were two processes.
    await using one = await openProject(directory)
    await using other = await openProject(directory)
    const [ann, bob] = [one, other].map(({ store }, at) =>
      createContext({
        store,
        agent: { name: `agent ${at}`, surface: 'api' },
        logger: SILENT,
        now: () => START,
      }),
    )
    if (ann === undefined || bob === undefined) throw new Error('two connections')
    let run = 0
    const needs = fc.array(fc.boolean(), { minLength: TASKS, maxLength: TASKS })
    const batches = fc.array(batch, { minLength: 2, maxLength: 4 })
    const property = fc.asyncProperty(
      needs,
      edges,
      batches,
      async (needsVerification, edges, batches) => {
        run += 1
        const label = `run-${run}`
        const { tasks } = await execute(ann, createTasks, {
          tasks: needsVerification.map((needs_verification) => ({
            title: 'T',
            labels: [label],
            needs_verification,
          })),
        })
        const ids = tasks.map(({ id }) => id)
        for (const steps of [edges, ...batches]) {
          const calls = steps.map((step, at) => perform(at % 2 === 0 ? ann : bob, step, ids))
          await Promise.all(calls)
          await compare(bob, label, ids)
        }
      },
    )
    await fc.assert(property, { seed: SEED, numRuns: RUNS })
    expect(await one.store.consistency.indexErrors()).toEqual([])
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 10 })
  }
})

const OPERATIONS: Readonly<Record<Step['do'], Operation>> = {
  complete: completeTask,
  verify: verifyTask,
  cancel: cancelTask,
  reopen: reopenTask,
  relate: createRelation,
  unrelate: deleteRelation,
}

/** What is refused, such as a circle or what is closed already, changes nothing. */
async function perform(context: Context, step: Step, ids: readonly string[]): Promise<void> {
  try {
    if ('task' in step) {
      const force = step.do === 'complete' ? { force: true } : {}
      await execute(context, OPERATIONS[step.do], { id: ids[step.task], ...force })
      return
    }
    const input = { source: ids[step.from], type: step.type, target: ids[step.to] }
    await execute(context, OPERATIONS[step.do], input)
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'internal') throw error
  }
}

/** The tasks and relations as they are now, whoever was faster, decide what is ready. */
async function compare(context: Context, label: string, ids: readonly string[]): Promise<void> {
  const model = await readModel(context, ids)
  const labels = [label]
  const seen = await execute(context, readyTasks, { labels, limit: 100 })
  expect(seen.tasks.map(({ id }) => id)).toEqual(ready(model).map(({ id }) => id))
  const waiting = await execute(context, blockedTasks, { labels, limit: 100 })
  expect(waiting.tasks.map(({ id }) => id)).toEqual(blocked(model).map(({ id }) => id))
  for (const task of model.tasks) {
    for (const edges of [blockersOf, wholesOf]) {
      const isInCircle = [...edges(task)].some((next) => reaches(next, task, edges))
      expect(isInCircle).toBe(false)
    }
  }
}

function blockersOf({ blockers }: ModelTask): Iterable<ModelTask> {
  return blockers
}

function wholesOf({ wholes }: ModelTask): Iterable<ModelTask> {
  return wholes
}

async function readModel(context: Context, ids: readonly string[]): Promise<Model> {
  const tasksById = new Map<string, ModelTask>()
  for (const id of ids) {
    const task = await execute(context, getTask, { id })
    const untouched = newModelTask({
      id,
      number: task.number,
      priority: task.priority,
      due: undefined,
      needsVerification: task.needs_verification === true,
    })
    tasksById.set(id, {
      ...untouched,
      status: task.status as ModelTask['status'],
      verified: task.verified_at !== undefined,
    })
  }
  for (const [id, task] of tasksById) {
    for (const { type, targetId } of await context.store.relations.of(toEntityId(id), 'from')) {
      const target = tasksById.get(targetId)
      if (type === 'blocks') target?.blockers.add(task)
      if (type === 'subtask_of' && target !== undefined) task.wholes.add(target)
    }
  }
  return { tasks: [...tasksById.values()], now: START }
}
