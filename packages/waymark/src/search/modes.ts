import type { ReadContext } from '../core/context.ts'
import { takeWithinReply } from '../support/text/reply-budget.ts'
import { fuse } from './text/ranking.ts'
import type { Clauses } from '../core/store/full-text.ts'
import { toConcepts, toMatch } from './text/plan.ts'
import type { SearchFilter, QueryTerm } from './text/query.ts'
import { describeModel, searchMeaning } from './semantic-search.ts'
import { type Ranked, type SearchPage, type SearchResult, showResults } from './page.ts'
import { estimateTokens } from '../support/text/token-estimate.ts'
import { searchText, type TextSearch } from './text-search.ts'

const COUNTED = 1_000
/** Number, type, status and date of a result. */
const TOKENS_OF_FACTS = 30
/** A short title and a short sentence. */
const TOKENS_OF_TEXT = 40
/** How far down each list counts when two are made into one. */
const FUSED = 200

export interface PageOptions {
  readonly filter: SearchFilter
  readonly limit: number
  /** Where the page starts, as the cursor says. */
  readonly from: number
  /** The page need not fit into one answer. */
  readonly whole?: boolean
  /** Fill about as many tokens as this, rather than one answer. */
  readonly maxTokens?: number | undefined
}

/** By words alone. */
export async function findByWords(
  context: ReadContext,
  wanted: readonly QueryTerm[],
  options: PageOptions,
): Promise<SearchPage> {
  const found = await searchText(context.store, wanted, {
    filter: options.filter,
    now: context.now(),
    depth: options.from + Math.min(options.limit, mostIn(options)),
  })
  return {
    mode: found.mode,
    ...adviceOn(found),
    ...corrected(found),
    ...(await toPage(context, likelyOf(found), found.clauses, options)),
    ...(found.isCut && { total_is_minimum: true as const }),
  }
}

/** Share of what was asked for, rare words counting more, below which a match is chance. */
const CHANCE = 0.2
/** Below it the best match is a weak one. */
const WEAK = 0.33
const MOST_UNLIKELY = 3

function bestCoverage({ ranked }: TextSearch): number {
  return Math.max(0, ...ranked.slice(0, 5).map(({ coverage }) => coverage))
}

/** All matches, or the first few where none is likely to be meant. */
function likelyOf(found: TextSearch): readonly Ranked[] {
  return bestCoverage(found) < CHANCE ? found.ranked.slice(0, MOST_UNLIKELY) : found.ranked
}

function adviceOn(found: TextSearch): Pick<SearchPage, 'note'> {
  if (found.ranked.length === 0) {
    return { note: 'nothing has these words; try others, or fewer filters and quotes' }
  }
  const coverage = bestCoverage(found)
  if (coverage < CHANCE) {
    return {
      note: 'nothing is likely relevant; ask with fewer words, those that the text would use',
    }
  }
  if (coverage < WEAK)
    return { note: 'weak matches; a narrower query with the names of things may find more' }
  return {}
}

/** By meaning alone; by words when the model does not answer. */
export async function findByMeaning(
  context: ReadContext,
  text: string,
  wanted: readonly QueryTerm[],
  options: PageOptions & { readonly threshold?: number | undefined },
): Promise<SearchPage> {
  const found = await searchMeaning(context, text, options)
  if (found === undefined || found.isEmpty) {
    return withoutModel(await findByWords(context, wanted, options), found?.pending)
  }
  const { similar, model, threshold, pending } = found
  const clauses = toConcepts(wanted).map(({ alternatives }) => alternatives)
  return {
    mode: 'semantic',
    model,
    threshold,
    ...(pending > 0 && { pending }),
    ...(await toPage(context, similar, clauses, options)),
  }
}

/** By words, and by meaning too where a model is configured: spelling similarity finds less than the words do. */
export async function findBest(
  context: ReadContext,
  text: string,
  wanted: readonly QueryTerm[],
  options: PageOptions,
): Promise<SearchPage> {
  return context.semantic.embedder.isApproximate
    ? await findByWords(context, wanted, options)
    : await findByBoth(context, text, wanted, options)
}

/** By words and by meaning: what stands high in both lists comes first. */
export async function findByBoth(
  context: ReadContext,
  text: string,
  wanted: readonly QueryTerm[],
  options: PageOptions,
): Promise<SearchPage> {
  const { filter } = options
  const words = await searchText(context.store, wanted, { filter, now: context.now() })
  const meaning = await searchMeaning(context, text, { filter })
  if (meaning === undefined || meaning.isEmpty) {
    return withoutModel(await findByWords(context, wanted, options), meaning?.pending)
  }
  const [byWords, byMeaning] = [idsOf(words.ranked), idsOf(meaning.similar)]
  const isCut = words.isCut || Math.max(words.ranked.length, meaning.similar.length) > FUSED
  const other = context.semantic.embedder.isApproximate ? 'spelling' : 'meaning'
  const fused = [...fuse([byWords, byMeaning])].map(([id, score]) => ({
    id,
    score,
    matchedBy: matchedBy(byWords.includes(id), byMeaning.includes(id) ? other : undefined),
  }))
  const ranked = await rerankBest(context, text, fused)
  return {
    mode: 'hybrid',
    model: describeModel(context),
    ...corrected(words),
    ...(meaning.pending > 0 && { pending: meaning.pending }),
    ...(await toPage(context, ranked, words.clauses, options)),
    ...(isCut && { total_is_minimum: true as const }),
  }
}

/** How many results a reranker reads. */
const RERANKED = 30

/** The best results in the order of the model that judges answers, if there is one and it answers. */
async function rerankBest(
  { semantic, store, signal, logger }: ReadContext,
  query: string,
  ranked: readonly Ranked[],
): Promise<readonly Ranked[]> {
  const { embedder } = semantic
  if (embedder.rerank === undefined || ranked.length === 0) return ranked
  const best = ranked.slice(0, RERANKED)
  try {
    const documents = await store.search.documents(best.map(({ id }) => id))
    const texts = documents.map(({ title, body }) => `${title}\n${body}`)
    const scores = await embedder.rerank(query, texts, signal)
    const scoresById = new Map(documents.map(({ id }, at) => [id, scores[at] ?? 0]))
    const worth = ({ id }: Ranked): number => scoresById.get(id) ?? Number.NEGATIVE_INFINITY
    return [...best.toSorted((a, b) => worth(b) - worth(a)), ...ranked.slice(RERANKED)]
  } catch (error) {
    signal.throwIfAborted()
    logger.warn('the reranker failed; results stay in the order of words and meaning', { error })
    return ranked
  }
}

/** Without words there is nothing to rank by: what fits, newest first. Here the cursor is the last one's id. */
export async function findByFilter(
  context: ReadContext,
  { filter, limit, from, ...room }: PageOptions,
): Promise<SearchPage> {
  const { search } = context.store
  const match = toMatch(filter)
  const most = Math.min(limit, mostIn(room))
  const ids = await search.list(match, { limit: most + 1, ...(from > 0 && { before: from }) })
  const page = ids.slice(0, most).map((id) => ({ id }))
  const { results, consumed } = await showResults(context, page, [], taker(context, room))
  const last = page[consumed - 1]?.id
  const total = await search.count(match, COUNTED)
  return {
    mode: 'filter',
    results,
    total,
    ...(total === COUNTED && { total_is_minimum: true as const }),
    ...(consumed < ids.length && last !== undefined && { next_cursor: String(last) }),
  }
}

export async function toPage(
  context: ReadContext,
  ranked: readonly Ranked[],
  clauses: Clauses,
  { limit, from, ...room }: PageOptions,
): Promise<Pick<SearchPage, 'results' | 'total' | 'next_cursor'>> {
  const page = ranked.slice(from, from + Math.min(limit, mostIn(room)))
  const { results, consumed } = await showResults(context, page, clauses, taker(context, room))
  const next = from + consumed
  return {
    results,
    total: ranked.length,
    ...(next < ranked.length && { next_cursor: String(next) }),
  }
}

function taker(
  context: ReadContext,
  { whole = false, maxTokens }: Pick<PageOptions, 'whole' | 'maxTokens'>,
): (results: SearchResult[]) => SearchResult[] {
  if (maxTokens !== undefined) return (results) => takeWithinTokens(results, maxTokens)
  return whole ? (results) => results : (results) => takeWithinReply(context, results)
}

/** Hardly any more results than this fit, so no more are looked at. */
function mostIn({ maxTokens = Infinity }: Pick<PageOptions, 'maxTokens'>): number {
  return Math.ceil(maxTokens / (TOKENS_OF_FACTS + TOKENS_OF_TEXT))
}

/** As many results from the start as a model reads for so many tokens, but at least one. */
function takeWithinTokens(results: SearchResult[], tokens: number): SearchResult[] {
  let left = tokens
  const end = results.findIndex(({ title, snippet, trust, created_by }, at) => {
    left -= TOKENS_OF_FACTS + estimateTokens(JSON.stringify([title, snippet, trust, created_by]))
    return left < 0 && at > 0
  })
  return end === -1 ? results : results.slice(0, end)
}

function matchedBy(
  words: boolean,
  other: 'meaning' | 'spelling' | undefined,
): SearchResult['matched_by'] {
  if (words) return other === undefined ? 'words' : 'both'
  return other
}

function idsOf(ranked: readonly Ranked[]): readonly number[] {
  return ranked.slice(0, FUSED).map(({ id }) => id)
}

function corrected({ corrections }: TextSearch): Pick<SearchPage, 'corrected'> {
  if (corrections.size === 0) return {}
  const entries = [...corrections].map(([typed, meant]): [string, string[]] => [typed, [...meant]])
  return { corrected: Object.fromEntries(entries) }
}

/** `pending`: how many texts the model has yet to see; it did not answer when undefined. */
function withoutModel(page: SearchPage, pending?: number): SearchPage {
  const reason =
    pending === undefined
      ? 'the embedding model did not answer'
      : `the embedding model has seen none of ${pending} texts yet`
  return {
    ...page,
    ...(pending !== undefined && { pending }),
    note: [`${reason}; this was searched by words`, page.note].filter(Boolean).join('; '),
  }
}
