import type { Context } from '../../../../src/core/context.ts'
import { Failure } from '../../../../src/core/error.ts'
import type { Store } from '../../../../src/core/store/store.ts'
import type { Callable } from './callables.ts'
import { aboutTask, basesOf, extensionsOf } from './inputs.ts'
import { BACKUP, CODE, discarding, foreignerFor, PLANNER, SINCE, type World } from './world.ts'

export type Input = Readonly<Record<string, unknown>>

/** Inputs for what cannot be called in a meaningful way by looking at its schema alone. */
function samplesFor(
  { artifact, decisions: [old, successor], names }: World,
  name: string,
): readonly Input[] {
  const undo = { author: PLANNER, since: SINCE }
  const annotation = { summary: 'why it is so' }
  const correction = { path: CODE, reason: 'it is not' }
  const [held, , open] = names.tasks
  const samples: Readonly<Record<string, Input | readonly Input[]>> = {
    'backup.import': { path: BACKUP },
    'backup.export': { path: 'exported.jsonl', force: true },
    'history.undo': undo,
    'waymark history_undo': undo,
    // The first change after that which added it.
    'history.revert': { id: held, version: 2 },
    // It moves, or must be moved to make a place.
    'task.reorder': [
      { id: held, after: open },
      { id: open, after: held },
    ],
    'decision.supersede': { old, new: successor },
    'waymark decision_supersede': { old, new: successor },
    'medulla decision_supersede': { old_id: old, new_id: successor },
    'waymark remember': { id: '1', title: 'another title' },
    'code.annotate': annotation,
    'waymark annotate': annotation,
    'ultragit-write ultragit_annotate': { commit: 'HEAD', ...annotation, regions: [] },
    'code.correct': correction,
    'waymark code_correct': correction,
    'code.reanchor': { path: CODE },
    'code.carry': { to: 'HEAD', from: ['HEAD'] },
    'artifact.add': { text: 'a text', links: ['documents:1'] },
    'waymark artifact_add': { text: 'a text', links: ['documents:1'] },
    'artifact.get': { id: artifact, output: 'written.txt', force: true },
    'artifact.tag': { id: artifact, add: ['x'] },
    'artifact.link': { id: artifact, to: '1' },
    'artifact.remove': { id: artifact },
    'job.start': { kind: 'doctor' },
    'job.cancel': { id: 1 },
  }
  const sample = samples[name]
  return sample === undefined ? [] : [sample].flat()
}

/** A call that did something, or was refused for what is there and not for how it is spelled. */
export interface Reached {
  readonly callable: Callable
  readonly input: Input
  /** Whether it changes the task while no agent holds it. */
  readonly changesTask: boolean
}

/** Refusals that say nothing about what the call would do. */
const UNREACHED: ReadonlySet<string> = new Set(['invalid_input', 'not_found', 'ambiguous_id'])

/** The calls that come through while the task is free. None at all: a sample is missing. */
export async function reach(
  world: World,
  callable: Callable,
  choose: (inputs: readonly Input[]) => readonly Input[],
): Promise<readonly Reached[]> {
  const attempt = async (input: Input): Promise<Reached | undefined> => {
    const agent = foreignerFor(callable, input, 0)
    const { code, isChanged } = await attemptCall(world, callable, { input, agent })
    if (code !== undefined && UNREACHED.has(code)) return undefined
    return { callable, input, changesTask: isChanged }
  }
  const tried = async (inputs: readonly Input[]): Promise<readonly Reached[]> => {
    const reached: Reached[] = []
    for (const input of inputs) {
      const one = await attempt(input)
      if (one !== undefined) reached.push(one)
    }
    return reached
  }
  const bases = basesOf(callable.schema, world.names)
  const found = await tried([...samplesFor(world, callable.name), ...bases])
  const start = found.length > 0 ? found.slice(0, 2).map(({ input }) => input) : bases.slice(0, 2)
  const about = aboutTask(callable.schema, start, world.names)
  const extended = extensionsOf(callable.schema, about, world.names)
  return [...found, ...(await tried(choose(extended)))]
}

/** How a call by another agent ends while the task is held, and whether it has changed anything of the task. */
export async function attemptCall(
  world: World,
  callable: Callable,
  {
    input,
    agent,
    withFault = (store) => store,
  }: {
    readonly input: Input
    readonly agent: Context['agent']
    readonly withFault?: (store: Store) => Store
  },
): Promise<{ readonly code: string | undefined; readonly isChanged: boolean }> {
  const { project } = world
  let isChanged = false
  const store = discarding(withFault(project.context.store), world, (seen) => {
    isChanged ||= seen
  })
  const context = project.as('', { agent, store, signal: AbortSignal.timeout(5000) })
  try {
    await callable.call(context, input)
    return { code: undefined, isChanged }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return { code: error.code, isChanged }
  }
}
