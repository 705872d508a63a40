import { titleTerm } from '../../search/text/document.ts'
import type { Phrase } from '../../search/text/plan.ts'
import { ANYTHING, type FullText } from '../store/full-text.ts'

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

  async forgetUnused(sql, stems) {
    // Deleted terms are only marked as such until their part of the index is written anew.
    await sql.run(`INSERT INTO document_term (document_term) VALUES ('optimize')`)
    await sql.run(
      `CREATE VIRTUAL TABLE IF NOT EXISTS temp.term_in_use
        USING fts5vocab(main, document_term, row)`,
    )
    const condition = `IN (SELECT value ->> 0 FROM json_each(?)
      WHERE value ->> 1 NOT IN (SELECT term FROM temp.term_in_use))`
    const given = JSON.stringify(stems)
    await sql.run(`DELETE FROM word_trigram WHERE rowid ${condition}`, [given])
    await sql.run(`DELETE FROM word WHERE id ${condition}`, [given])
    await sql.run(`INSERT INTO word_trigram (word_trigram) VALUES ('optimize')`)
  },

  indexedIds: 'SELECT id FROM document_term_docsize',
  clear: ['document_term', 'word_trigram'].map(
    (table) => `INSERT INTO ${table} (${table}) VALUES ('delete-all')`,
  ),
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
