import type { ContentStore } from '@waymark/cas'
import { withContentFailures } from './store.ts'
import type { Store, StoreTransaction } from '../../core/store/store.ts'

/**
 * Deletes unreferenced contents and returns their hashes. Check and deletion both happen under the write lock, so that no
 * reference can be added in between; this is the only place where a transaction touches files. It runs in a transaction
 * of its own: in a shared one, a rollback would restore the rows but not the files.
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
      // Checked again before each deletion: the query throws if the transaction has timed out and lost its lock.
      if (needed.has(hash) || (await tx.artifacts.needed([hash])).has(hash)) continue
      if (await withContentFailures(() => contents.delete(hash))) removed.push(hash)
    }
    return removed
  }
  return await store.write(collect, { isAlone: true })
}
