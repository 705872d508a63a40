import type { Match, Phrase } from '../../search/text/plan.ts'
import { titleTerm } from '../../search/text/document.ts'

/** The columns of `document_term`, and what a hit in each is worth. Facets are looked up, never scored. */
const WEIGHTS = { title: 3, body: 1, tags: 2, facets: 0 } as const
export const SCORE = `-bm25(document_term, ${Object.values(WEIGHTS).join(', ')})`

/** A facet that every document has. */
export const ANYTHING = '§all'

export type Scope = 'everywhere' | 'title'

/** What a document must have: one phrase of every clause. */
export type Clauses = readonly (readonly Phrase[])[]

/** A MATCH expression. Every term is quoted and came out of the tokeniser, so no text is ever read as an operator. */
export function toMatchText(
  clauses: Clauses,
  { facets }: Pick<Match, 'facets'>,
  scope: Scope = 'everywhere',
): string {
  // No column is ever named: to filter by column FTS5 would have to look into every match, and marked terms do it.
  const toTerm = scope === 'title' ? titleTerm : (term: string) => term
  const texts = clauses.map((phrases) => phrases.map((phrase) => toPhraseText(phrase, toTerm)))
  const all = [...texts, ...facets.map((values) => values.map(quote))]
  if (all.length === 0) return quote(ANYTHING)
  return all.map((any) => `(${any.join(' OR ')})`).join(' AND ')
}

/** The trigrams of a word, any of which will do. Its ends count, or short words would have too few. */
export function toTrigramText(word: string): string {
  const characters = Array.from(`^${word}$`)
  const trigrams = new Set<string>()
  for (let at = 0; at + 3 <= characters.length; at += 1) {
    trigrams.add(characters.slice(at, at + 3).join(''))
  }
  return [...trigrams].map(quote).join(' OR ')
}

export function toPhraseText(
  { terms, prefix = false }: Phrase,
  toTerm = (term: string): string => term,
): string {
  return `${quote(terms.map(toTerm).join(' '))}${prefix ? '*' : ''}`
}

function quote(term: string): string {
  return `"${term.replaceAll('"', '""')}"`
}
