import { spawnSync } from 'node:child_process'
import { createRandom, type Random } from '../../packages/baton/test/support/random.ts'
import type { Agent, Context } from '../../packages/waymark/src/core/context.ts'
import { Failure } from '../../packages/waymark/src/core/error.ts'
import { execute } from '../../packages/waymark/src/core/execute.ts'
import { createEntity } from '../../packages/waymark/src/entity/operations.ts'
import { sendMessage } from '../../packages/waymark/src/message/operations.ts'
import {
  claimTask,
  releaseTask,
  takeTask,
} from '../../packages/waymark/src/task/lease/operations.ts'
import { createTask } from '../../packages/waymark/src/task/operations.ts'
import { openProject } from '../../packages/waymark/src/core/project/project.ts'
import { thisProcess, toProcessName } from '../../packages/waymark/src/support/process-identity.ts'
import type { LeaseRow } from '../../packages/waymark/src/task/lease/store.ts'
import type { Store } from '../../packages/waymark/src/core/store/store.ts'
import type { Findings, Proof, Trial } from '../proof.ts'
import { contextOf } from '../system/agent.ts'
import { createProject } from '../system/repository.ts'
import { withNouns } from '../system/with-nouns.ts'
import { toAgentId } from '../../packages/waymark/src/agent/agent.ts'

const ROUNDS = { short: 5, full: 100 }

const FAULTS = [
  'scoped_by_name',
  'scoped_by_secret',
  'forgotten_by_successor',
  'claim_told_from_memory',
] as const

/** Agents that think of the same keys, as models do, each repeat their calls; servers are started again meanwhile. */
export const sharedKeys: Proof = {
  id: 'shared-keys',
  promise:
    'An idempotency key belongs to one agent: no agent gets the answer of another, or of a claim that has ended',
  unit: 'calls under a key that other agents use too',
  goal: 5000,
  faults: FAULTS,
  run: trySharedKeys,
}

/** An agent, and the one that takes its place if its server is started again before it repeats its call. */
interface Caller {
  readonly first: Agent
  again(): Agent
}

async function trySharedKeys({ seed, level, fault }: Trial): Promise<Findings> {
  using folder = await createProject()
  await using project = await openProject(folder.path)
  const random = createRandom(seed)
  const base = contextOf({ ...project, store: withFault(project.store, fault) }, 'planner')
  const found = { shared: 0, repeated: 0, held_by_another: 0 }
  let tried = 0
  let example: string | undefined
  for (let round = 0; round < ROUNDS[level]; round += 1) {
    const callers = createCallers(round, fault)
    for (const kind of KINDS) {
      const key = `${kind}-${round}`
      const outcomes = await callAll(base, { kind, key, callers, random })
      tried += 2 * callers.length
      const seen = judge(outcomes)
      found.shared += seen.shared
      found.repeated += seen.repeated
      found.held_by_another += seen.held_by_another
      if (seen.shared + seen.repeated + seen.held_by_another > 0) {
        example ??= `${key}: ${JSON.stringify(outcomes)}`
      }
    }
  }
  return { tried, violations: found, example }
}

/** Two servers of one host at once, one that was killed and started again, two agents behind one secret, a command. */
function createCallers(round: number, fault: string | undefined): readonly Caller[] {
  const served = (id: string, name: string, startedAt: number): Agent => {
    const process = { name, startedAt }
    return { name: 'claude-code', surface: 'mcp', id: toAgentId(`${id}${round}`), process }
  }
  const before = Date.now() - 1
  const behindSecret = (part: string): Agent => {
    const id = fault === 'scoped_by_secret' ? 'A0' : `A0-${part}`
    return { name: part, surface: 'http', id: toAgentId(`${id}${round}`), owner: 'A0' }
  }
  const same = (agent: Agent): Caller => ({ first: agent, again: () => agent })
  return [
    same(served('A1', RUNNING, before)),
    same(served('A2', RUNNING, before)),
    { first: served('A3', ENDED, before), again: () => served('A4', RUNNING, Date.now()) },
    same(behindSecret('alice')),
    same(behindSecret('bob')),
    same({ name: `carol ${round}`, surface: 'cli' }),
  ]
}

const RUNNING = thisProcess()
/** The name of a process that has run and is gone. */
const ENDED = toProcessName(spawnSync(process.execPath, ['--version']).pid, '1')

const KINDS = ['create', 'message', 'take'] as const
type Kind = (typeof KINDS)[number]

interface Call {
  readonly kind: Kind
  readonly key: string
  readonly callers: readonly Caller[]
  readonly random: Random
}

interface Outcome {
  readonly first: string
  readonly again: string
  /** Whether a repeated claim tells of a task that the caller does not hold. */
  readonly isFalse: boolean
}

/** All make the same call at once, then each repeats it; in between some give back what they have taken. */
async function callAll(
  base: Context,
  { kind, key, callers, random }: Call,
): Promise<readonly Outcome[]> {
  if (kind === 'take') {
    for (const _ of callers) await execute(base, createTask, { title: key })
  }
  const call = async (agent: Agent): Promise<string> =>
    await answerOf({ ...base, agent }, kind, key)
  const first = await Promise.all(callers.map(({ first }) => call(first)))
  const outcomes: Outcome[] = []
  for (const [at, caller] of callers.entries()) {
    const taken = first[at] ?? ''
    const isGivenBack = kind === 'take' && random.below(2) === 0
    const isHeld = !isGivenBack || (await giveBack({ ...base, agent: caller.first }, taken))
    const again = await call(caller.again())
    const isFalse = !isHeld || (isGivenBack && again !== 'lease_lost')
    outcomes.push({ first: taken, again: isGivenBack ? taken : again, isFalse })
  }
  return outcomes
}

/** Another agent takes it at once. Answers whether the task was there to be given back. */
async function giveBack(context: Context, id: string): Promise<boolean> {
  try {
    await execute(context, releaseTask, { id })
    const next: Agent = { name: 'next', surface: 'api' }
    await execute({ ...context, agent: next }, claimTask, { id })
    return true
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}

/** The id of what the call made or took; the code when it was refused. */
async function answerOf(context: Context, kind: Kind, key: string): Promise<string> {
  const idempotency_key = key
  try {
    switch (kind) {
      case 'create':
        return (await execute(context, createEntity, { type: 'note', title: 'N', idempotency_key }))
          .id
      case 'message': {
        const { message } = await execute(context, sendMessage, { body: 'done', idempotency_key })
        return String(message.id)
      }
      case 'take':
        return (await execute(context, takeTask, { idempotency_key })).claimed?.task.id ?? 'nothing'
    }
  } catch (error) {
    if (error instanceof Failure) return error.code
    throw error
  }
}

function judge(outcomes: readonly Outcome[]) {
  const distinct = new Set(outcomes.map(({ first }) => first)).size
  return {
    shared: outcomes.length - distinct,
    repeated: outcomes.filter(({ first, again }) => first !== again).length,
    held_by_another: outcomes.filter(({ isFalse }) => isFalse).length,
  }
}

/** The same store with one mistake in it. */
function withFault(store: Store, fault: string | undefined): Store {
  /** What leases were when they were first looked at. */
  const remembered = new Map<string, LeaseRow | undefined>()
  return {
    ...store,
    write: async (work, options) =>
      await store.write(async (tx) => {
        const { answers, leases } = tx
        if (fault === 'scoped_by_name') {
          const ofLineage: typeof answers.ofLineage = async (operation, lineage) =>
            (await answers.ofLineage(operation, lineage)).map((answer) => ({
              ...answer,
              process: ENDED,
            }))
          return await work(withNouns(tx, { answers: { ...answers, ofLineage } }))
        }
        if (fault === 'forgotten_by_successor') {
          return await work(withNouns(tx, { answers: { ...answers, ofLineage: async () => [] } }))
        }
        if (fault === 'claim_told_from_memory') {
          const of: typeof leases.of = async (taskId) => {
            const lease = await leases.of(taskId)
            const isNew = typeof lease?.agentId === 'string' && !remembered.has(taskId)
            if (isNew) remembered.set(taskId, lease)
            return remembered.get(taskId) ?? lease
          }
          return await work(withNouns(tx, { leases: { ...leases, of } }))
        }
        return await work(tx)
      }, options),
  }
}
