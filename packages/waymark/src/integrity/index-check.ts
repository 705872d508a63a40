import type { Context } from '../core/context.ts'
import { toAnnotationDocument } from '../annotation/search-text.ts'
import { type SearchDocument, toSearchDocument } from '../search/text/document.ts'
import type { Progress } from '../core/progress.ts'
import type { StoreTransaction } from '../core/store/store.ts'
import { toArtifactDocument } from '../artifact/search-document.ts'
import { toMessageDocument } from '../message/search-document.ts'
import { hashOf } from '../search/index/index-store.ts'
import { rebuildIndex } from '../search/upkeep.ts'
import type { EntityId } from '../entity/entity-id.ts'

const BATCH_SIZE = 200
const SHOWN = 10
export const FIX = 'waymark store check --repair'

export interface IndexCheck {
  readonly name: string
  readonly status: 'ok' | 'warning' | 'failed'
  readonly message: string
  readonly fix?: string
}

/** Entities whose list, queue or search entries differ from their contents. */
export async function findStale({ store, signal }: Context): Promise<EntityId[]> {
  const stale = new Set(await store.consistency.indexErrors())
  for (let last = ''; ;) {
    const page = await store.replica.entities(last, BATCH_SIZE)
    if (page.length === 0) return [...stale].toSorted()
    signal.throwIfAborted()
    const documents = await store.search.ofEntities(page.map(({ row }) => row.id))
    const byId = new Map(documents.map((document) => [document.ref, document]))
    for (const { row, isReadable } of page) {
      const indexed = byId.get(row.id)
      if (indexed === undefined || !isReadable) continue
      const { type, status } = indexed
      const isCurrent = type === row.type && status === row.status
      if (!isCurrent || indexed.textHash !== hashOf(toSearchDocument(row))) stale.add(row.id)
    }
    last = page.at(-1)?.row.id ?? last
  }
}

/** Whether every text can be found by its words. */
export async function checkFullText(
  context: Context,
  repair: boolean,
  progress: Progress,
): Promise<IndexCheck> {
  const name = 'words'
  const { consistency } = context.store
  const unindexed = await consistency.unindexed()
  const count = unindexed.length + (await consistency.countUnsearchable())
  if (count === 0) return { name, status: 'ok', message: 'the full-text index is complete' }
  const message = `${count} texts are not found by their words`
  if (!repair) return { name, status: 'failed', message, fix: FIX }
  await context.store.write((tx) => tx.consistency.emptyFullText(), context)
  for (let at = 0; at < unindexed.length; at += BATCH_SIZE) {
    const some = unindexed.slice(at, at + BATCH_SIZE)
    await context.store.write(async (tx) => {
      for (const { kind, ref } of some) await indexAgain(tx, kind, ref)
    }, context)
  }
  await rebuildIndex(context, progress)
  return { name, status: 'warning', message: `${message}; repaired` }
}

async function indexAgain(tx: StoreTransaction, kind: string, ref: string): Promise<void> {
  const document = await readIndexed(tx, kind, ref)
  if (document === undefined) await tx.search.remove(kind, ref)
  else await tx.search.put(document)
}

/** The search document; undefined if its subject is gone. */
async function readIndexed(
  tx: StoreTransaction,
  kind: string,
  ref: string,
): Promise<SearchDocument | undefined> {
  switch (kind) {
    case 'message': {
      const message = await tx.messages.byId(Number(ref))
      return message?.toAgent === null ? toMessageDocument(message) : undefined
    }
    case 'artifact': {
      const [artifact] = await tx.artifacts.byIdPrefix(ref, 1)
      return artifact && toArtifactDocument(artifact)
    }
    case 'annotation': {
      const [annotation] = await tx.annotations.anywhere(ref)
      return annotation && toAnnotationDocument(annotation.record, annotation.commit)
    }
    default:
      return undefined
  }
}

/** A broadcast is stored twice, as sent and as indexed. If they differ, there is no way to tell which one is right. */
export async function checkMessages({ store }: Context): Promise<IndexCheck> {
  const name = 'messages'
  const altered = await store.consistency.alteredMessages()
  if (altered.length === 0) {
    return { name, status: 'ok', message: 'every message matches the index' }
  }
  return {
    name,
    status: 'failed',
    message: `${altered.length} messages say something else than what was indexed of them: ${altered.slice(0, SHOWN).join(', ')}`,
    fix: 'restore the database from a backup, or compare both with `waymark search`',
  }
}

/** A counter that is too low would assign a number twice. */
export async function checkCounters({ store }: Context, repair: boolean): Promise<IndexCheck> {
  const name = 'counters'
  const wrong = await store.consistency.wrongCounters()
  if (wrong.length === 0) return { name, status: 'ok', message: 'no number is given twice' }
  const message = `${wrong.join(', ')} would give numbers again that were given`
  if (!repair) return { name, status: 'failed', message, fix: FIX }
  await store.write(({ consistency }) => consistency.mendCounters())
  return { name, status: 'warning', message: `${message}; repaired` }
}

/** Counts that are shown beside a list. */
export async function checkCounts({ store }: Context, repair: boolean): Promise<IndexCheck> {
  const name = 'counts'
  const wrong = await store.consistency.countWrongKinds()
  if (wrong === 0) return { name, status: 'ok', message: 'every list says how long it is' }
  const message = `${wrong} kinds of entities are counted wrongly`
  if (!repair) return { name, status: 'failed', message, fix: FIX }
  await store.write(({ consistency }) => consistency.recountKinds())
  return { name, status: 'warning', message: `${message}; repaired` }
}

/** Events and messages have no second copy: lost ones can only be restored from a backup. */
export async function checkOrder({ store }: Context): Promise<IndexCheck> {
  const name = 'order'
  const { events, messages } = await store.consistency.countMissing()
  if (events + messages === 0) {
    return { name, status: 'ok', message: 'no event and no message is missing' }
  }
  return {
    name,
    status: 'failed',
    message: `${events} events and ${messages} messages are gone`,
    fix: 'restore the database from a backup if they are needed; they are kept nowhere else',
  }
}

/** Checks for rows whose parent row is missing. */
export async function checkRows({ store }: Context, repair: boolean): Promise<IndexCheck> {
  const name = 'rows'
  const dangling = await store.consistency.dangling()
  if (dangling.length === 0) return { name, status: 'ok', message: 'no row is orphaned' }
  const counts = dangling.map(({ table, count }) => `${table} ${count}`)
  return {
    name,
    status: 'failed',
    message: `rows are about something that is gone: ${counts.join(', ')}`,
    fix: repair
      ? 'restore the database from a backup: what they are about is kept nowhere else'
      : `${FIX}; where that does not help, restore the database from a backup`,
  }
}
