import type { SearchFilter, QueryTerm } from './query.ts'
import { facet } from './document.ts'

/** Terms that stand one after the other; with `prefix` the last one may go on. */
export interface Phrase {
  readonly terms: readonly string[]
  readonly prefix: boolean
}

/** What a document must have: of every clause one phrase, of every facet one value. */
export interface Match {
  readonly clauses: readonly (readonly Phrase[])[]
  readonly facets: readonly (readonly string[])[]
  /** Only these kinds of documents; all when absent. */
  readonly kinds?: readonly string[] | undefined
  /** Milliseconds since 1970, both inclusive. */
  readonly createdAfter?: number | undefined
  readonly createdBefore?: number | undefined
}

/** `exact`: the words as typed; `prefix`: also longer words that begin alike, and other forms of the word. */
export type Strictness = 'exact' | 'prefix'

export function toMatch(
  wanted: readonly QueryTerm[],
  filter: SearchFilter,
  strictness: Strictness,
): Match {
  return {
    clauses: wanted.map((one) => toClause(one, strictness === 'prefix' && !one.quoted)),
    facets: toFacets(filter),
    kinds: filter.kinds,
    createdAfter: filter.createdAfter,
    createdBefore: filter.createdBefore,
  }
}

function toClause({ spellings }: QueryTerm, prefix: boolean): readonly Phrase[] {
  return spellings.map((terms) => {
    const [only, ...more] = terms
    // What begins with the word begins with its stem too.
    return prefix && only !== undefined && more.length === 0
      ? { terms: [stemOf(only)], prefix }
      : { terms, prefix }
  })
}

const ENDING = /(?:(?<=.{5})ions?|ings?|ies|ed|es|s|e|y)$/
const SHORTEST_STEM = 4

/** What the forms of an English word have in common, roughly: it serves as a prefix, after the word itself. */
function stemOf(term: string): string {
  const stem = term.replace(ENDING, '')
  return stem.length >= SHORTEST_STEM ? stem : term
}

/** Words that are in every text and so say nothing about one. Quotes make them count. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  `a an and are as at be but by can do does for from had has have how i if in into is it its me my not of on or our
  should so than that the their them then there these they this to was we were what when where which who why will
  with would you your`.split(/\s+/),
)

/** What is wanted without the words that say nothing, unless there are no others. */
export function withoutStopWords(wanted: readonly QueryTerm[]): readonly QueryTerm[] {
  const telling = wanted.filter(
    ({ quoted, spellings }) => quoted || !STOP_WORDS.has(String(spellings[0])),
  )
  return telling.length > 0 ? telling : wanted
}

/** A filter in the words by which the index knows it: they are looked up like all words, without a scan. */
function toFacets({ type, statuses = [], tags = [] }: SearchFilter): Match['facets'] {
  return [
    ...(type === undefined ? [] : [[facet('type', type)]]),
    ...(statuses.length === 0 ? [] : [statuses.map((status) => facet('status', status))]),
    ...tags.map((tag) => [facet('tag', tag)]),
  ]
}
