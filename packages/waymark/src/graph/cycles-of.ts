import { yieldToEventLoop, runInSlices } from '../support/yield-to-event-loop.ts'
import type { ReadContext } from '../core/context.ts'
import { findCycles } from './cycles.ts'
import type { EntityId } from '../entity/entity-id.ts'

/** Maximum number of relations loaded into memory. */
const MOST_EDGES = 500_000

interface Cycles {
  readonly cycles: readonly (readonly EntityId[])[]
  /** The limit was reached: cycles through the remaining relations are missing. */
  readonly isCut: boolean
}

/** Cycles along relations of each of these types. */
export async function cyclesOf(
  { store, signal }: Pick<ReadContext, 'store' | 'signal'>,
  types: Iterable<string>,
  { most = MOST_EDGES } = {},
): Promise<Cycles> {
  const targetsByType = new Map([...types].map((type) => [type, new Map<EntityId, EntityId[]>()]))
  let kept = 0
  for await (const edges of store.graph.edges()) {
    for (const { sourceId, type, targetId } of edges) {
      const targets = targetsByType.get(type)
      if (targets === undefined) continue
      kept += 1
      const known = targets.get(sourceId)
      if (known === undefined) targets.set(sourceId, [targetId])
      else known.push(targetId)
    }
    if (kept > most) break
    await yieldToEventLoop(signal)
  }
  const cycles: (readonly EntityId[])[] = []
  for (const targets of targetsByType.values()) {
    cycles.push(...(await runInSlices(findCycles(targets), signal)))
  }
  return { cycles, isCut: kept > most }
}
