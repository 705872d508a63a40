import { breathe, inTurns } from '../breathe.ts'
import type { Context } from '../context.ts'
import { findCycles } from '../domain/cycles.ts'

const MOST_EDGES = 500_000

/** The circles along relations of each of these types. */
export async function cyclesOf(
  { store, signal }: Pick<Context, 'store' | 'signal'>,
  types: Iterable<string>,
): Promise<readonly (readonly string[])[]> {
  const targetsByType = new Map([...types].map((type) => [type, new Map<string, string[]>()]))
  let looked = 0
  for await (const edges of store.graph.edges()) {
    for (const { sourceId, type, targetId } of edges) {
      const targets = targetsByType.get(type)
      const known = targets?.get(sourceId)
      if (known === undefined) targets?.set(sourceId, [targetId])
      else known.push(targetId)
    }
    looked += edges.length
    if (looked >= MOST_EDGES) break
    await breathe(signal)
  }
  const cycles: (readonly string[])[] = []
  for (const targets of targetsByType.values()) {
    cycles.push(...(await inTurns(findCycles(targets), signal)))
  }
  return cycles
}
