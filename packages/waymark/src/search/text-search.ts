import type { ReadStore } from '../core/store/store.ts'
import type { Clauses } from '../core/store/full-text.ts'
import {
  type Alternative,
  type Concept,
  type Match,
  toConcepts,
  toLoose,
  toMatch,
} from './text/plan.ts'
import type { SearchFilter, QueryTerm } from './text/query.ts'
import { type Candidate, rank } from './text/ranking.ts'
import { readAll } from './text/reading.ts'
import {
  averageLengths,
  emphasiseSpeakers,
  rarityOf,
  type WeighedConcept,
} from './text/relevance.ts'
import { nearestWords } from './text/spelling.ts'
import { expectationOf } from './text/spoken.ts'
import { stemOf } from './text/stem.ts'
import { judgeDocument, type Standard, withNeighbours } from './neighbours.ts'
import type { FoundDocument } from './store.ts'
import { toEntityId } from '../entity/entity-id.ts'

/** How many documents are read and judged, of those that the index thinks best. */
const JUDGED = 80
/** As many for a caller who reads that far. */
const MOST_JUDGED = 100
const JUDGED_BY_OTHER_WORDS = 40
/** How many mentions the index may score. Words that would be more than that together only judge what others found. */
const MOST_SCORED = 5_000
/** How often words occur is counted so far, and estimated beyond it. */
const MOST_COUNTED = 3_000
const MOST_LONGER_WORDS = 12
const SIMILAR_CONSIDERED = 40

const SHORTEST_EXTENDED = 4
const LONGEST_ENDING = 2
/** Words in no more documents than this are looked for in other forms too. */
const RARE = 5

const EXPANSION = { longer: 0.35, corrected: 0.5 }

export interface TextSearch {
  readonly mode: 'fulltext' | 'fuzzy'
  readonly ranked: readonly RankedDocument[]
  /** There are more matches than were ranked. */
  readonly isCut: boolean
  /** What was looked for, to show where it stands. */
  readonly clauses: Clauses
  /** Misspelt words and what was looked for in their place. */
  readonly corrections: ReadonlyMap<string, readonly string[]>
}

interface RankedDocument extends Candidate {
  /** How much of what was asked for it has, 0 to 1. */
  readonly coverage: number
}

export interface TextSearchOptions {
  readonly filter: SearchFilter
  readonly now: number
  /** How far down the caller reads. */
  readonly depth?: number
}

type SearchStore = Pick<ReadStore, 'search' | 'relations'>

/** Everything that has any of the words, best first: the index picks candidates, and each is judged by its text. */
export async function searchText(
  store: SearchStore,
  typed: readonly QueryTerm[],
  { filter, now, depth = 0 }: TextSearchOptions,
): Promise<TextSearch> {
  const { concepts, corrections } = await weigh(store, toConcepts(typed))
  const match = toMatch(filter)
  const most = Math.min(MOST_JUDGED, Math.max(JUDGED, depth))
  const { ids, isCut } = await findCandidates(store, concepts, { match, most })
  const documents = ids.length === 0 ? [] : await store.search.documents(ids)
  const expectation = expectationOf(typed)
  const candidates = await judgeAll(store, documents, { concepts, match, expectation })
  const isCorrected = corrections.size > 0 && corrections.size === concepts.length
  return {
    mode: isCorrected ? 'fuzzy' : 'fulltext',
    ranked: rank(candidates, now),
    isCut,
    clauses: concepts.map(({ alternatives }) => alternatives),
    corrections,
  }
}

interface Counted {
  readonly alternative: Alternative
  readonly count: number
}

interface Weighed {
  readonly concepts: readonly WeighedConcept[]
  readonly corrections: ReadonlyMap<string, readonly string[]>
}

/** Looks up how rare everything is, and adds other words for what is rare or nowhere. */
async function weigh(
  { search }: Pick<SearchStore, 'search'>,
  concepts: readonly Concept[],
): Promise<Weighed> {
  const documents = await search.lastId()
  const count = async (alternatives: readonly Alternative[]): Promise<readonly Counted[]> => {
    const counts = await search.frequencies(alternatives, MOST_COUNTED)
    return alternatives.map((alternative, at) => ({ alternative, count: counts[at] ?? 0 }))
  }
  const all = await count(concepts.flatMap(({ alternatives }) => alternatives))
  const corrections = new Map<string, readonly string[]>()
  const weighed: WeighedConcept[] = []
  let from = 0
  for (const concept of concepts) {
    let counted: readonly Counted[] = all.slice(from, (from += concept.alternatives.length))
    const [typed] = counted
    if (concept.isRequired && typed?.count === 0 && concepts.length > 1) {
      // Text that was pasted with its quotes, most likely: its words are better than nothing.
      const loose = await weigh({ search }, toLoose(concept))
      weighed.push(...loose.concepts)
      continue
    }
    if (!concept.isRequired && typed !== undefined && typed.count <= RARE) {
      counted = [...counted, ...(await count(await otherForms(search, concept, typed.count)))]
    }
    if (!concept.isRequired && counted.every((one) => one.count === 0)) {
      const word = concept.typed.join('')
      const meant = nearestWords(word, await search.similarWords(word, SIMILAR_CONSIDERED))
      if (meant.length > 0) corrections.set(word, meant)
      counted = await count(meant.map((one) => toAlternative(one, EXPANSION.corrected)))
    }
    weighed.push(toWeighed(concept, counted, documents))
  }
  return { concepts: weighed, corrections }
}

function toAlternative(word: string, weight: number): Alternative {
  return { terms: [stemOf(word)], weight }
}

/** Words that go on where this one ends: `auth` may mean authentication. One that is nowhere may have another ending. */
async function otherForms(
  search: SearchStore['search'],
  { typed: [word = '', ...more] }: Concept,
  count: number,
): Promise<readonly Alternative[]> {
  if (more.length > 0 || word.length < SHORTEST_EXTENDED) return []
  const longer = await search.wordsFrom(word, MOST_LONGER_WORDS)
  const start = word.slice(0, -LONGEST_ENDING)
  const others =
    longer.length > 0 || count > 0 || start.length < SHORTEST_EXTENDED
      ? []
      : await search.wordsFrom(start, MOST_LONGER_WORDS)
  const near = others.filter((other) => Math.abs(other.length - word.length) <= LONGEST_ENDING)
  const stems = new Set([...longer, ...near].map(stemOf))
  stems.delete(stemOf(word))
  return [...stems].map((stem) => ({ terms: [stem], weight: EXPANSION.longer }))
}

function toWeighed(
  concept: Concept,
  counted: readonly Counted[],
  documents: number,
): WeighedConcept {
  const present = counted.filter(({ count }) => count > 0)
  const own = present.find(({ alternative }) => alternative.weight === 1)
  const rarities = present.map(({ count }) => rarityOf(count, documents))
  // What was typed decides how much it matters; a rare synonym of a common word is not worth more than the word.
  const rarity =
    own === undefined
      ? Math.max(rarityOf(0, documents) * 0.5, ...rarities)
      : rarityOf(own.count, documents)
  return {
    ...concept,
    alternatives: present.map(({ alternative }) => alternative),
    counts: present.map(({ count }) => count),
    rarity,
    rarities: rarities.map((each) => Math.min(each, rarity)),
  }
}

interface Candidates {
  readonly ids: readonly number[]
  readonly isCut: boolean
}

/** The documents that the index scores best by the words themselves, and by other words for them. */
async function findCandidates(
  { search }: SearchStore,
  concepts: readonly WeighedConcept[],
  { match, most }: { readonly match: Match; readonly most: number },
): Promise<Candidates> {
  const required = concepts.filter(({ isRequired }) => isRequired)
  if (required.some(({ alternatives }) => alternatives.length === 0)) return NONE
  const must = required.map(({ alternatives }) => alternatives)
  const wanted = concepts.flatMap((concept) =>
    concept.alternatives.map((alternative, at) => ({
      alternative,
      count: concept.counts[at] ?? 0,
    })),
  )
  if (wanted.length === 0) return NONE
  const typed = affordable(wanted.filter(({ alternative }) => alternative.weight === 1))
  const all = affordable(wanted)
  if (all.length === 0) return await findCommon(search, concepts, match)
  const ids = typed.length === 0 ? [] : await search.best([...must, typed], match, most)
  const withRare = search.weighsRarity ? [] : await findRare(search, wanted, { must, match, most })
  const others =
    all.length === typed.length
      ? []
      : await search.best([...must, all], match, JUDGED_BY_OTHER_WORDS)
  const isCut = ids.length === most || others.length === JUDGED_BY_OTHER_WORDS
  return { ids: [...new Set([...withRare, ...ids, ...others])], isCut }
}

/** Documents with the rarest of the words that were typed: a score that counts all words alike would bury them. */
async function findRare(
  search: SearchStore['search'],
  wanted: readonly Counted[],
  { must, match, most }: { readonly must: Clauses; readonly match: Match; readonly most: number },
): Promise<readonly number[]> {
  const rare = wanted.filter(
    ({ alternative, count }) => alternative.weight === 1 && count > 0 && count <= most,
  )
  if (rare.length === 0) return []
  return await search.best([...must, rare.map(({ alternative }) => alternative)], match, most)
}

const NONE: Candidates = { ids: [], isCut: false }

/** The rarest words, as many as the index can score in time. */
function affordable(wanted: readonly Counted[]): readonly Alternative[] {
  let left = MOST_SCORED
  return wanted
    .toSorted((a, b) => a.count - b.count)
    .filter(({ count }) => (left -= count) >= 0)
    .map(({ alternative }) => alternative)
}

/** Every word is in so many documents that none tells much: those with all of them, those with one in the title, the newest. */
async function findCommon(
  search: SearchStore['search'],
  concepts: readonly WeighedConcept[],
  match: Match,
): Promise<Candidates> {
  const present = concepts.map(({ alternatives }) => alternatives).filter((all) => all.length > 0)
  const limit = Math.floor(JUDGED / 3)
  const lists = [
    await search.list(match, { clauses: present, limit }),
    await search.list(match, { clauses: [present.flat()], limit, scope: 'title' }),
    await search.list(match, { clauses: [present.flat()], limit }),
  ]
  return { ids: [...new Set(lists.flat())], isCut: true }
}

async function judgeAll(
  { relations, search }: SearchStore,
  documents: readonly FoundDocument[],
  wanted: Omit<Standard, 'averages'>,
): Promise<readonly RankedDocument[]> {
  const linked = await relations.linkedTitles(documents.map(({ ref }) => toEntityId(ref)))
  const texts = documents.map((each) => ({
    ...each,
    linked: linked.get(toEntityId(each.ref)) ?? [],
  }))
  const all = readAll(texts, wanted.concepts)
  const concepts = emphasiseSpeakers(wanted.concepts, all)
  const standard = { ...wanted, concepts, averages: averageLengths(all) }
  const judged = all.flatMap((readings, at) => {
    const document = documents[at]
    return document === undefined ? [] : [judgeDocument({ document, readings }, standard)]
  })
  const matching = judged.filter(({ score }) => score > 0)
  return (await withNeighbours(search, matching, standard)).map(
    ({ document: { id, type, status, updatedAt }, score, coverage }) => ({
      id,
      type,
      status,
      updatedAt,
      score,
      coverage,
    }),
  )
}
