import type { ReadContext } from '../../core/context.ts'
import { INDEX_VERSION } from './index-store.ts'

/** What can be found, and by what. */
export interface IndexState {
  readonly documents: number
  readonly words: number
  /** The index was made by the rules of this version. */
  readonly is_current: boolean
  /** Texts that the model has seen, and those that it has not. */
  readonly vectors: number
  readonly pending: number
}

export async function readIndexState({ store, semantic }: ReadContext): Promise<IndexState> {
  const { model } = semantic.embedder
  return {
    ...(await store.search.size()),
    is_current: (await store.search.indexVersion()) === INDEX_VERSION,
    vectors: await store.vectors.count(model),
    pending: await store.vectors.pending(model),
  }
}
