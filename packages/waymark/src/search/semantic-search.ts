import type { ReadContext } from '../core/context.ts'
import { toMatch } from './text/plan.ts'
import type { SearchFilter } from './text/query.ts'
import type { Similar } from './semantic/semantic-index.ts'

/** How many documents a filter may leave to compare with. */
const MOST_FILTERED = 100_000

export interface SemanticSearch {
  readonly similar: readonly Similar[]
  /** What judged the meaning, in words for the reader. */
  readonly model: string
  readonly threshold: number
  /** Texts that the model has not seen yet. */
  readonly pending: number
  /** It has seen none of the texts, so finding nothing says nothing. */
  readonly isEmpty: boolean
}

export interface SemanticOptions {
  readonly filter: SearchFilter
  readonly threshold?: number | undefined
}

/** Documents that mean much the same as a text. Undefined when the model does not answer: the log has the reason. */
export async function searchMeaning(
  context: ReadContext,
  text: string,
  { filter, threshold }: SemanticOptions,
): Promise<SemanticSearch | undefined> {
  const { semantic, store, logger } = context
  const { embedder } = semantic
  const least = threshold ?? embedder.threshold
  try {
    const among = await matching(context, filter)
    // New texts are found only once they are embedded: by the background task of a server, or here.
    const unstored = await semantic.embedNew(context, embedder.whileWaiting)
    if (unstored.texts.length > 0) context.upkeep.later('vectors', unstored)
    const similar = await semantic.search(context, text, { threshold: least, among, unstored })
    const isAll = unstored.texts.length < embedder.whileWaiting
    const waiting = isAll ? 0 : await store.vectors.pending(embedder.model)
    const pending = Math.max(0, waiting - unstored.texts.length)
    const isEmpty =
      pending > 0 && similar.length === 0 && (await store.vectors.count(embedder.model)) === 0
    return { similar, model: describeModel(context), threshold: least, pending, isEmpty }
  } catch (error) {
    context.signal.throwIfAborted()
    logger.warn('the embedding model failed; searching by words', { model: embedder.model, error })
    return undefined
  }
}

export function describeModel({ semantic }: ReadContext): string {
  const { model, isApproximate } = semantic.embedder
  return isApproximate ? `spelling similarity (${model}, approximate: knows no synonyms)` : model
}

async function matching(
  { store }: ReadContext,
  filter: SearchFilter,
): Promise<ReadonlySet<number> | undefined> {
  const match = toMatch(filter)
  const isFiltered =
    match.facets.length > 0 ||
    match.kinds !== undefined ||
    match.createdAfter !== undefined ||
    match.createdBefore !== undefined
  return isFiltered ? new Set(await store.search.list(match, { limit: MOST_FILTERED })) : undefined
}
