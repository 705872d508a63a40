import type { ReadContext } from '../core/context.ts'
import type { Clauses } from '../core/store/full-text.ts'
import { type Phrase, toMatch } from './text/plan.ts'
import { wordsOf } from './text/document.ts'
import { stemOf } from './text/stem.ts'
import { type PageOptions, toPage } from './modes.ts'
import type { SearchPage } from './page.ts'

const MOST_LISTED = 50
/** Shorter beginnings are in nearly every text; titles tell more. */
const SHORTEST_ANYWHERE = 3
const MOST_WORDS_CONSIDERED = 8

/** While a query is being typed: all its words, the last of which may go on; titles first, then the newest. */
export async function findAsTyped(
  context: ReadContext,
  text: string,
  options: PageOptions,
): Promise<SearchPage> {
  const { search } = context.store
  const terms = [...wordsOf(text)].flatMap(({ parts }) => parts.map(({ term }) => term))
  const last = terms.at(-1)
  if (last === undefined) return { mode: 'fulltext', results: [], total: 0 }
  const clauses: Clauses = [
    ...terms.slice(0, -1).map((term) => [{ terms: [stemOf(term)] }]),
    await beginningsOf(context, last),
  ]
  const match = toMatch(options.filter)
  const limit = MOST_LISTED
  const titled = await search.list(match, { clauses, limit, scope: 'title' })
  const others =
    titled.length === limit || last.length < SHORTEST_ANYWHERE
      ? []
      : await search.list(match, { clauses, limit })
  const ids = [...new Set([...titled, ...others])].slice(0, limit)
  return {
    mode: 'fulltext',
    ...(await toPage(
      context,
      ids.map((id) => ({ id })),
      clauses,
      options,
    )),
    ...(ids.length === limit && { total_is_minimum: true as const }),
  }
}

/** The beginning of a stem, or the stem of a word that is nearly typed: `replicatio` is longer than its stem. */
async function beginningsOf({ store }: ReadContext, typed: string): Promise<readonly Phrase[]> {
  const words = await store.search.wordsFrom(typed, MOST_WORDS_CONSIDERED)
  const stems = new Set([typed, ...words].map(stemOf).filter((stem) => !stem.startsWith(typed)))
  return [{ terms: [typed], prefix: true }, ...[...stems].map((stem) => ({ terms: [stem] }))]
}
