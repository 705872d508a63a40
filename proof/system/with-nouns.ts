import type { StoreTransaction } from '../../packages/waymark/src/core/store/store.ts'

/** The same transaction with other nouns. They are lazy properties of its prototype, so spreading it copies none. */
export function withNouns(
  tx: StoreTransaction,
  nouns: Partial<StoreTransaction>,
): StoreTransaction {
  return Object.create(tx, Object.getOwnPropertyDescriptors(nouns)) as StoreTransaction
}
