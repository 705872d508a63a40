import type { Match, Phrase } from '../../domain/search/plan.ts'

/** The columns of `document_term`, and what a hit in each is worth. Facets are looked up, never scored. */
const WEIGHTS = { title: 6, body: 1, tags: 3, facets: 0 } as const
const SEARCHED = '{title body tags}'

export const SCORE = `-bm25(document_term, ${Object.values(WEIGHTS).join(', ')})`

/** A facet that every document has. */
export const ANYTHING = 'all'

export type Scope = 'everywhere' | 'title'

/** A MATCH expression. Every term is quoted and came out of the tokeniser, so no text is ever read as an operator. */
export function toMatchText({ clauses, facets }: Match, scope: Scope): string {
  const columns = scope === 'title' ? '{title}' : SEARCHED
  if (clauses.length + facets.length === 0) return `facets : ${quote(ANYTHING)}`
  const text = clauses.map((phrases) => `(${phrases.map(toPhraseText).join(' OR ')})`).join(' AND ')
  const conditions = facets.map((values) => `facets : (${values.map(quote).join(' OR ')})`)
  return [...(text === '' ? [] : [`${columns} : (${text})`]), ...conditions].join(' AND ')
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

function toPhraseText({ terms, prefix }: Phrase): string {
  return `${quote(terms.join(' '))}${prefix ? '*' : ''}`
}

function quote(term: string): string {
  return `"${term.replaceAll('"', '""')}"`
}
