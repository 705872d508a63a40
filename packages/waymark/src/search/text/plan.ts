import type { SearchFilter, QueryTerm } from './query.ts'
import { facet, isUnspaced } from './document.ts'
import { stemOf } from './stem.ts'
import { STOP_WORDS, stopWordsOf, WEAK_WORDS } from './stop-words.ts'
import { synonymsOf } from './thesaurus.ts'

/** Stems that stand one after the other; with `prefix` the last one may go on. */
export interface Phrase {
  readonly terms: readonly string[]
  readonly prefix?: boolean
}

/** One way to say a thing, and how sure it is that it says the same; 1 is what was typed. */
export interface Alternative extends Phrase {
  readonly weight: number
}

/** One thing that is looked for. */
export interface Concept {
  /** Folded, but not stemmed. */
  readonly typed: readonly string[]
  readonly alternatives: readonly Alternative[]
  /** A document without it is no match. */
  readonly isRequired: boolean
  /** Share of its worth: less than 1 for words that many questions contain. */
  readonly weight: number
}

/** What a document must have beside words: of every facet one value. */
export interface Match {
  readonly facets: readonly (readonly string[])[]
  /** Only these kinds of documents; all when absent. */
  readonly kinds?: readonly string[] | undefined
  /** Milliseconds since 1970, both inclusive. */
  readonly createdAfter?: number | undefined
  readonly createdBefore?: number | undefined
}

export function toMatch(filter: SearchFilter): Match {
  return {
    facets: toFacets(filter),
    kinds: filter.kinds,
    createdAfter: filter.createdAfter,
    createdBefore: filter.createdBefore,
  }
}

/** How sure it is that another word means the same, and what words are worth that many questions contain. */
const WEIGHTS = { synonym: 0.4, weak: 0.5, joined: 1 }

/** What is looked for, without the words that say nothing, unless there are no others. */
export function toConcepts(wanted: readonly QueryTerm[]): readonly Concept[] {
  const stopWords = stopWordsOf(wanted.flatMap(({ spellings: [typed = []] }) => typed))
  const telling = wanted.filter((one) => one.quoted || !isStop(one, stopWords))
  const concepts = (telling.length > 0 ? telling : wanted).flatMap((one) =>
    one.quoted ? [toRequired(one)] : conceptsOf(one),
  )
  // Two words with one stem are one thing.
  const distinct = new Map<string, Concept>()
  for (const one of concepts) {
    const key = `${one.isRequired ? '"' : ''}${String(one.alternatives[0]?.terms)}`
    if (!distinct.has(key)) distinct.set(key, one)
  }
  return [...distinct.values()]
}

function isStop({ spellings }: QueryTerm, stopWords: ReadonlySet<string>): boolean {
  return (spellings[0] ?? []).every((term) => stopWords.has(term))
}

/** The words of a phrase that is nowhere, one by one. */
export function toLoose({ typed }: Concept): readonly Concept[] {
  return toConcepts(typed.map((term) => ({ spellings: [[term]], quoted: false })))
}

function toRequired({ spellings }: QueryTerm): Concept {
  const [typed = []] = spellings
  const alternatives = [{ terms: typed.map(stemOf), weight: 1 }]
  return { typed, alternatives, isRequired: true, weight: 1 }
}

function conceptsOf({ spellings }: QueryTerm): readonly Concept[] {
  const [parts = [], joined] = spellings
  if (parts.length > 1 && parts.some(isUnspaced)) return pairsOf(parts).map(toPhrase)
  // The letter of `e-mail` and the `s` of a genitive say nothing on their own.
  const telling = parts.filter((part) => part.length > 1 && !STOP_WORDS.has(part))
  const others = joined === undefined ? [] : [{ terms: joined.map(stemOf), weight: WEIGHTS.joined }]
  return (telling.length > 0 ? telling : parts).map((part) => toConcept(part, others))
}

function toConcept(word: string, others: readonly Alternative[]): Concept {
  const stem = stemOf(word)
  const synonyms = synonymsOf(word).map((terms) => ({ terms, weight: WEIGHTS.synonym }))
  return {
    typed: [word],
    alternatives: [{ terms: [stem], weight: 1 }, ...others, ...synonyms],
    isRequired: false,
    weight: WEAK_WORDS.has(word) ? WEIGHTS.weak : 1,
  }
}

function toPhrase(terms: readonly string[]): Concept {
  return { typed: terms, alternatives: [{ terms, weight: 1 }], isRequired: false, weight: 1 }
}

/** Scripts without blanks are looked for by pairs of neighbours, which come close to words. */
function pairsOf(terms: readonly string[]): readonly (readonly string[])[] {
  return terms.slice(0, -1).map((term, at) => [term, terms[at + 1] ?? ''])
}

/** A filter in the words by which the index knows it: they are looked up like all words, without a scan. */
function toFacets({ type, statuses = [], tags = [] }: SearchFilter): Match['facets'] {
  return [
    ...(type === undefined ? [] : [[facet('type', type)]]),
    ...(statuses.length === 0 ? [] : [statuses.map((status) => facet('status', status))]),
    ...tags.map((tag) => [facet('tag', tag)]),
  ]
}
