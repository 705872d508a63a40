import type { Context, ReadContext } from '../core/context.ts'
import { toSearchDocument } from './text/document.ts'
import { Progress } from '../core/progress.ts'
import { INDEX_VERSION } from './index/index-store.ts'
import type { StoreTransaction } from '../core/store/store.ts'

/** Documents indexed per transaction, so that other writers are not blocked for long. */
const CHUNK = 200

/** The context with an index that follows the rules of this version: the stored one, or one in memory. */
export async function withCurrentIndex(context: ReadContext): Promise<ReadContext> {
  if (await isCurrent(context)) return context
  const { search, vectors } = (await context.upkeep.refresh('searchIndex', null)).store
  return { ...context, store: { ...context.store, search, vectors } }
}

/** Rebuilds the index if it is missing or was built by another version of the rules. */
export async function updateIndex(context: Context): Promise<void> {
  if (!(await isCurrent(context))) await rebuildIndex(context)
}

async function isCurrent({ store }: ReadContext): Promise<boolean> {
  return (await store.search.indexVersion()) === INDEX_VERSION
}

/** Rebuilds the index in steps that may interleave with other writers. Returns the number of documents. */
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
