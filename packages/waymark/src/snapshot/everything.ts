import { yieldToEventLoop } from '../support/yield-to-event-loop.ts'
import type { ReadContext } from '../core/context.ts'
import type { EntityRow } from '../entity/store.ts'
import type { Edge } from '../graph/store.ts'

const READ_AT_ONCE = 1_000
const MOST_RELATIONS = 1_000_000

/** In the order of their numbers. */
export async function everyEntity({ store, signal }: ReadContext): Promise<readonly EntityRow[]> {
  const all: EntityRow[] = []
  for (;;) {
    signal.throwIfAborted()
    const rows = await store.entities.after(all.at(-1)?.number ?? 0, READ_AT_ONCE)
    all.push(...rows)
    if (rows.length < READ_AT_ONCE) return all
  }
}

export async function everyRelation({ store, signal }: ReadContext): Promise<readonly Edge[]> {
  const all: Edge[] = []
  for await (const edges of store.graph.edges()) {
    all.push(...edges)
    if (all.length >= MOST_RELATIONS) break
    await yieldToEventLoop(signal)
  }
  return all
}
