import type { ContentStore } from '@waymark/cas'
import { withContentFailures } from './store.ts'
import type { Store, StoreTransaction } from '../../core/store/store.ts'

/**
 * Deletes those of these contents that nothing needs, and answers which. Looking and deleting happen under the write
 * lock, the one place where a transaction touches files: nobody can begin to need a content in between. Alone, because
 * a removal that shares the transaction may yet be undone, and the file would not come back.
 */
export async function collectUnneeded(
  store: Store,
  contents: Pick<ContentStore, 'delete'>,
  hashes: readonly string[],
): Promise<readonly string[]> {
  const collect = async (tx: StoreTransaction): Promise<readonly string[]> => {
    const needed = await tx.artifacts.needed(hashes)
    const removed: string[] = []
    for (const hash of hashes) {
      // Asked again each time: a transaction that has run out of time answers no more, and its lock is gone.
      if (needed.has(hash) || (await tx.artifacts.needed([hash])).has(hash)) continue
      if (await withContentFailures(() => contents.delete(hash))) removed.push(hash)
    }
    return removed
  }
  return await store.write(collect, { isAlone: true })
}
