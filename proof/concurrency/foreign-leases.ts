import { createRandom, type Random } from '../../packages/baton/test/support/random.ts'
import type { Agent } from '../../packages/waymark/src/core/context.ts'
import type { Store } from '../../packages/waymark/src/core/store/store.ts'
import {
  allCallables,
  type Callable,
} from '../../packages/waymark/test/operations/leases/foreign/callables.ts'
import {
  attemptCall,
  type Input,
  reach,
  type Reached,
} from '../../packages/waymark/test/operations/leases/foreign/trial.ts'
import {
  createWorld,
  foreignerFor,
} from '../../packages/waymark/test/operations/leases/foreign/world.ts'
import type { Findings, Proof, Trial } from '../proof.ts'
import { withNouns } from '../system/with-nouns.ts'

/** Of each operation and tool, so many inputs beside those with nothing but what must be there. */
const INPUTS = { short: 2, full: 60 }
const INPUTS_WITH_FAULT = 30

/** They start Git or read everything, and say nothing of a task: a test of every check calls them too. */
const SLOW = /^(code|cache|snapshot|hook|sync|artifact|backup|store)\.|ultragit|annotate|sync_run/

/** Called without asking for admission. */
const UNGUARDED = [
  'entity.update',
  'entity.batch',
  'history.undo',
  'task.import',
  'relation.create',
  'waymark remember',
  'medulla entity_update',
] as const
const AGENT_TAKEN_FOR_PERSON = 'agent_taken_for_person'
const TAKEN_FOR_PERSON: Agent = { name: 'bob', surface: 'cli', assumed: true }

/** One agent holds a task; another calls everything there is, in all ways, and changes nothing of the task. */
export const foreignLeases: Proof = {
  id: 'foreign-leases',
  promise:
    'No call of any operation, dialect or surface changes a task that another agent holds, nor its lease',
  unit: 'calls while another agent holds the task',
  goal: 10_000,
  faults: [...UNGUARDED, AGENT_TAKEN_FOR_PERSON],
  run: tryForeignLeases,
}

async function tryForeignLeases({ seed, level, fault }: Trial): Promise<Findings> {
  const random = createRandom(seed)
  const world = await createWorld({ isWhole: level === 'full' })
  await using _ = world.project
  const calls: Reached[] = []
  const callables = await chooseCallables({ level, fault })
  for (const callable of callables) {
    const most = fault === undefined ? INPUTS[level] : INPUTS_WITH_FAULT
    const choose = (inputs: readonly Input[]) => someOf(inputs, most, random)
    calls.push(...(await reach(world, callable, choose)))
  }
  await world.hold()
  const changed: string[] = []
  for (const [at, { callable, input }] of calls.entries()) {
    const agent =
      fault === AGENT_TAKEN_FOR_PERSON ? TAKEN_FOR_PERSON : foreignerFor(callable, input, at)
    const withFault = isUnguarded(fault) ? withoutAdmission : (store: Store) => store
    const { isChanged } = await attemptCall(world, callable, { input, agent, withFault })
    if (isChanged) changed.push(`${callable.name} ${JSON.stringify(input)} by ${agent.surface}`)
  }
  const isAble = ({ changesTask }: Reached): boolean => changesTask
  return {
    tried: calls.length,
    violations: {
      changed: changed.length,
      // A few inputs by chance may all be refused for how they are spelled.
      unreached: level === 'full' ? countUnreached(callables, calls) : 0,
    },
    counts: { would_change_a_free_task: calls.filter(isAble).length },
    figures: { operations_and_tools: callables.length },
    example: changed[0],
  }
}

async function chooseCallables({
  level,
  fault,
}: Pick<Trial, 'level' | 'fault'>): Promise<readonly Callable[]> {
  const all = await allCallables()
  if (isUnguarded(fault)) return all.filter(({ name }) => name === fault)
  if (fault === AGENT_TAKEN_FOR_PERSON) return all.filter(({ name }) => name === 'task.cancel')
  return level === 'full' ? all : all.filter(({ name }) => !SLOW.test(name))
}

/** Operations and tools of which no call came through have not been tried at all. */
function countUnreached(callables: readonly Callable[], calls: readonly Reached[]): number {
  const reached = new Set(calls.map(({ callable }) => callable))
  return callables.filter((callable) => !reached.has(callable)).length
}

function isUnguarded(fault: string | undefined): boolean {
  return UNGUARDED.some((name) => name === fault)
}

/** An operation that writes without asking for admission. */
function withoutAdmission(store: Store): Store {
  return {
    ...store,
    write: async (work, options) =>
      await store.write(async (tx) => {
        const leases = {
          ...tx.leases,
          heldAgainst: async () => undefined,
          admits: async () => true,
        }
        return await work(withNouns(tx, { leases }))
      }, options),
  }
}

function someOf<T>(items: readonly T[], most: number, random: Random): readonly T[] {
  if (items.length <= most) return items
  return Array.from({ length: most }, () => random.pick(items))
}
