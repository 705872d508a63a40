import { type Candidate, rank } from './text/ranking.ts'
import { type Match, toMatch, withoutStopWords } from './text/plan.ts'
import type { SearchFilter, QueryTerm } from './text/query.ts'
import { nearestWords } from './text/spelling.ts'
import type { SearchReader } from './store.ts'

/** Of a word that is in more documents than this, only the newest ones and those with it in the title are ranked. */
const WINDOW = 200
/** With fewer results than this, less strict ways to match are tried too. */
const ENOUGH = 10
/** How many of the rarest words are looked for one by one. */
const MOST_LOOKUPS = 8
const SIMILAR_CONSIDERED = 40

export interface TextSearch {
  readonly mode: 'fulltext' | 'fuzzy'
  readonly ranked: readonly Candidate[]
  /** There are more matches than were ranked. */
  readonly isCut: boolean
  /** What was looked for, to show where it stands. */
  readonly clauses: Match['clauses']
  /** Misspelt words and what was looked for in their place. */
  readonly corrections: ReadonlyMap<string, readonly string[]>
}

export interface TextSearchOptions {
  readonly filter: SearchFilter
  readonly now: number
}

/** Documents with all the words first, then those with other forms of them, then those with some of them. */
export async function searchText(
  search: SearchReader,
  typed: readonly QueryTerm[],
  options: TextSearchOptions,
): Promise<TextSearch> {
  const wanted = withoutStopWords(typed)
  const asTyped = await look(search, wanted, options)
  if (asTyped.ranked.length > 0) return { mode: 'fulltext', ...asTyped, corrections: new Map() }
  const { corrected, corrections } = await correct(search, wanted)
  if (corrections.size === 0) return { mode: 'fulltext', ...asTyped, corrections }
  return { mode: 'fuzzy', ...(await look(search, corrected, options)), corrections }
}

interface Found {
  readonly candidates: readonly Candidate[]
  readonly isCut: boolean
}

async function look(
  search: SearchReader,
  wanted: readonly QueryTerm[],
  { filter, now }: TextSearchOptions,
): Promise<Pick<TextSearch, 'ranked' | 'isCut' | 'clauses'>> {
  const ways = [
    () => allOf(search, toMatch(wanted, filter, 'exact')),
    () => allOf(search, toMatch(wanted, filter, 'prefix')),
    ...(wanted.length > 1 ? [() => anyOf(search, wanted, filter)] : []),
  ]
  const tiers: Found[] = []
  for (const way of ways) {
    tiers.push(await way())
    if (countDistinct(tiers) >= ENOUGH) break
  }
  return {
    ranked: rank(
      tiers.map(({ candidates }) => candidates),
      now,
    ),
    isCut: tiers.some(({ isCut }) => isCut),
    clauses: toMatch(wanted, filter, 'prefix').clauses,
  }
}

async function allOf(search: SearchReader, match: Match): Promise<Found> {
  const isScored = !(await isCommonPhrase(search, match))
  const newest = await search.candidates(match, { limit: WINDOW, isScored })
  if (newest.length < WINDOW) return { candidates: newest, isCut: false }
  const titled = await search.candidates(match, { limit: WINDOW, isScored, scope: 'title' })
  return { candidates: merge([titled, newest], Math.max), isCut: true }
}

/** Scoring a phrase reads every document that contains it, so phrases with this many matches are not scored. */
async function isCommonPhrase(search: SearchReader, match: Match): Promise<boolean> {
  const hasPhrase = match.clauses.some((phrases) => phrases.some(({ terms }) => terms.length > 1))
  return hasPhrase && (await search.count(match, WINDOW)) === WINDOW
}

/** Scores add up over words, so each word is looked up alone, and a common word does not hide a rare one. */
async function anyOf(
  search: SearchReader,
  wanted: readonly QueryTerm[],
  filter: SearchFilter,
): Promise<Found> {
  const counted = []
  for (const one of wanted) {
    counted.push(await countOf(search, one, filter))
  }
  const rarest = counted.filter(({ count }) => count > 0).toSorted((a, b) => a.count - b.count)
  const found = []
  for (const { match } of rarest.slice(0, MOST_LOOKUPS)) found.push(await allOf(search, match))
  return {
    candidates: merge(
      found.map(({ candidates }) => candidates),
      (a, b) => a + b,
    ),
    isCut: found.some(({ isCut }) => isCut),
  }
}

/** How often a word occurs; its other forms count only where the word itself is nowhere. */
async function countOf(
  search: SearchReader,
  one: QueryTerm,
  filter: SearchFilter,
): Promise<{ match: Match; count: number }> {
  const exact = toMatch([one], filter, 'exact')
  const count = await search.count(exact, WINDOW)
  if (count > 0) return { match: exact, count }
  const match = toMatch([one], filter, 'prefix')
  return { match, count: await search.count(match, WINDOW) }
}

function merge(
  lists: readonly (readonly Candidate[])[],
  combine: (a: number, b: number) => number,
): Candidate[] {
  const byId = new Map<number, Candidate>()
  for (const candidate of lists.flat()) {
    const known = byId.get(candidate.id)
    const score = known === undefined ? candidate.score : combine(known.score, candidate.score)
    byId.set(candidate.id, { ...candidate, score })
  }
  return [...byId.values()]
}

function countDistinct(tiers: readonly Found[]): number {
  return new Set(tiers.flatMap(({ candidates }) => candidates.map(({ id }) => id))).size
}

/** Replaces the words that are in no document by known ones that are spelt alike. */
async function correct(
  search: SearchReader,
  wanted: readonly QueryTerm[],
): Promise<{ corrected: QueryTerm[]; corrections: Map<string, readonly string[]> }> {
  const corrected: QueryTerm[] = []
  const corrections = new Map<string, readonly string[]>()
  for (const one of wanted) {
    if (one.quoted || (await search.count(toMatch([one], {}, 'prefix'), 1)) > 0) {
      corrected.push(one)
      continue
    }
    const typed = (one.spellings.at(-1) ?? []).join('')
    const similar = await search.similarWords(typed, SIMILAR_CONSIDERED)
    const meant = nearestWords(typed, similar)
    if (meant.length === 0) continue
    corrections.set(typed, meant)
    corrected.push({ spellings: meant.map((word) => [word]), quoted: false })
  }
  return { corrected, corrections }
}
