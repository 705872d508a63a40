import type { Context } from '../core/context.ts'
import { toSearchDocument } from './text/document.ts'
import { Progress } from '../core/progress.ts'
import { INDEX_VERSION } from './index-store.ts'
import type { StoreTransaction } from '../core/store/store.ts'

/** How much is indexed in one transaction, so that others get their turn. */
const CHUNK = 200

/** Makes the index anew if another version of Waymark has made it, or none has. */
export async function ensureIndex(context: Context): Promise<void> {
  if ((await context.store.search.indexVersion()) !== INDEX_VERSION) await rebuildIndex(context)
}

/** Indexes everything again, in steps that may run beside other writers. Answers how many documents there are. */
export async function rebuildIndex(
  context: Context,
  progress = new Progress(context),
): Promise<number> {
  const advance = progress.phase('indexing entities', await context.store.replica.countEntities())
  let done = 0
  await inSteps(context, async (tx, after) => {
    const rows = await tx.entities.after(after, CHUNK)
    for (const row of rows) await tx.search.put(toSearchDocument(row))
    advance((done += rows.length))
    return rows.at(-1)?.number
  })
  progress.phase('indexing other texts')
  await inSteps(context, (tx, after) => tx.search.reindex(after, CHUNK))
  await context.store.write((tx) => tx.search.markCurrent(), context)
  return (await context.store.search.size()).documents
}

type Step = (tx: StoreTransaction, after: number) => Promise<number | undefined>

async function inSteps(context: Context, step: Step): Promise<void> {
  let after: number | undefined = 0
  while (after !== undefined) {
    const from: number = after
    after = await context.store.write((tx) => step(tx, from), context)
  }
}
