import { yieldToEventLoop, runInSlices } from '../support/yield-to-event-loop.ts'
import type { Context } from '../core/context.ts'
import { findCycles } from './cycles.ts'

/** More relations of the wanted types than this have no room in memory. */
const MOST_EDGES = 500_000

interface Cycles {
  readonly cycles: readonly (readonly string[])[]
  /** There were more relations than have room: what only the rest would show is missing. */
  readonly isCut: boolean
}

/** The circles along relations of each of these types. */
export async function cyclesOf(
  { store, signal }: Pick<Context, 'store' | 'signal'>,
  types: Iterable<string>,
  { most = MOST_EDGES } = {},
): Promise<Cycles> {
  const targetsByType = new Map([...types].map((type) => [type, new Map<string, string[]>()]))
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
  const cycles: (readonly string[])[] = []
  for (const targets of targetsByType.values()) {
    cycles.push(...(await runInSlices(findCycles(targets), signal)))
  }
  return { cycles, isCut: kept > most }
}
