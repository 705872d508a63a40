import { titleTerm } from '../../search/text/document.ts'
import type { Phrase } from '../../search/text/plan.ts'
import { ANYTHING, type FullText } from '../store/full-text.ts'
import type { Sql } from '../store/sql.ts'

/** The columns of `document_term`, and what a hit in each is worth. Facets are looked up, never scored. */
const WEIGHTS = { title: 3, body: 1, tags: 2, facets: 0 } as const

/** FTS5. Every term is quoted and came out of the tokeniser, so no text is ever read as an operator. */
export const SQLITE_FULL_TEXT: FullText = {
  source: 'document_term',
  condition: 'document_term MATCH ?',
  score: `-bm25(document_term, ${Object.values(WEIGHTS).join(', ')})`,
  weighsRarity: true,

  toMatchText(clauses, { facets }, scope = 'everywhere') {
    // No column is ever named: to filter by column FTS5 would have to look into every match, and marked terms do it.
    const toTerm = scope === 'title' ? titleTerm : (term: string) => term
    const texts = clauses.map((phrases) => phrases.map((phrase) => toPhraseText(phrase, toTerm)))
    const all = [...texts, ...facets.map((values) => values.map(quote))]
    if (all.length === 0) return quote(ANYTHING)
    return all.map((any) => `(${any.join(' OR ')})`).join(' AND ')
  },

  frequencies: (phrases, limit) => ({
    sql: `SELECT (SELECT CASE WHEN count(*) < ?1 THEN count(*)
          ELSE count(*) * (SELECT max(id) FROM document) / max(rowid) END
        FROM (SELECT rowid FROM document_term WHERE document_term MATCH phrase.value LIMIT ?1)
      ) AS count
      FROM json_each(?2) AS phrase ORDER BY phrase.key`,
    values: [limit, JSON.stringify(phrases.map((phrase) => toPhraseText(phrase)))],
  }),

  similarWords(word, limit) {
    const trigrams = toTrigrams(word)
    if (trigrams.length === 0) return undefined
    return {
      sql: `SELECT w.word FROM word_trigram JOIN word w ON w.id = word_trigram.rowid
        WHERE word_trigram MATCH ? ORDER BY bm25(word_trigram) LIMIT ?`,
      values: [trigrams.map(quote).join(' OR '), limit],
    }
  },

  insertTerms: (id, { title, body, tags, facets }) => ({
    sql: 'INSERT INTO document_term (rowid, title, body, tags, facets) VALUES (?, ?, ?, ?, ?)',
    values: [id, title, body, tags, facets],
  }),

  insertTrigrams: (afterId) => ({
    sql: `INSERT INTO word_trigram (rowid, word) SELECT id, '^' || word || '$' FROM word WHERE id > ?`,
    values: [afterId],
  }),

  // Deleted terms are only marked as such until their part of the index is written anew.
  async eraseDeleted(sql, isFirst) {
    const wasBusy = await mergeSlice(sql, 'document_term', isFirst)
    const isBusy = await mergeSlice(sql, 'word_trigram', isFirst)
    return wasBusy || isBusy
  },

  async forgetUnused(sql, words) {
    const given = JSON.stringify(words.map(([id, stem]) => [id, quote(stem)]))
    const unused = await sql.all<{ id: number }>(
      `SELECT word.value ->> 0 AS id FROM json_each(?) AS word WHERE NOT EXISTS (
        SELECT 1 FROM document_term WHERE document_term MATCH word.value ->> 1)`,
      [given],
    )
    if (unused.length === 0) return
    const ids = JSON.stringify(unused.map(({ id }) => id))
    for (const [table, key] of [['word_trigram', 'rowid'] as const, ['word', 'id'] as const]) {
      const condition = `${key} IN (SELECT value FROM json_each(?))`
      await sql.run(`DELETE FROM ${table} WHERE ${condition}`, [ids])
    }
  },

  indexedIds: 'SELECT id FROM document_term_docsize',
  clear: ['document_term', 'word_trigram'].map(
    (table) => `INSERT INTO ${table} (${table}) VALUES ('delete-all')`,
  ),
}

/** Pages of an index that are written in one transaction: a few milliseconds. */
const PAGES_AT_ONCE = 100

/** Merges the segments of an index, so many pages at a time: a negative number plans that all become one. */
async function mergeSlice(
  sql: Sql,
  table: 'document_term' | 'word_trigram',
  isFirst: boolean,
): Promise<boolean> {
  const before = await totalChanges(sql)
  const pages = isFirst ? -PAGES_AT_ONCE : PAGES_AT_ONCE
  await sql.run(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`, [pages])
  // Fewer than two changes mean that there was nothing to do.
  return (await totalChanges(sql)) - before >= 2
}

async function totalChanges(sql: Sql): Promise<number> {
  return (await sql.get<{ count: number }>('SELECT total_changes() AS count'))?.count ?? 0
}

/** The trigrams of a word. Its ends count, or short words would have too few. */
export function toTrigrams(word: string): readonly string[] {
  const characters = Array.from(`^${word}$`)
  const trigrams = new Set<string>()
  for (let at = 0; at + 3 <= characters.length; at += 1) {
    trigrams.add(characters.slice(at, at + 3).join(''))
  }
  return [...trigrams]
}

function toPhraseText(
  { terms, prefix = false }: Phrase,
  toTerm = (term: string): string => term,
): string {
  return `${quote(terms.map(toTerm).join(' '))}${prefix ? '*' : ''}`
}

function quote(term: string): string {
  return `"${term.replaceAll('"', '""')}"`
}
