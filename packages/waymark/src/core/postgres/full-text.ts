import { titleTerm } from '../../search/text/document.ts'
import type { Phrase } from '../../search/text/plan.ts'
import { toTrigrams } from '../sqlite/full-text.ts'
import { ANYTHING, type FullText, type TermColumns } from '../store/full-text.ts'

/** Weights of `ts_rank`, for the labels D, C, B and A. Facets, which have the label D, are looked up, never scored. */
const RANK_WEIGHTS = '{0, 0.33, 0.66, 1}'
const LABELS = { title: 'A', tags: 'B', body: 'C', facets: 'D' } as const satisfies Record<
  keyof TermColumns,
  string
>

/** PostgreSQL keeps no position above this, and no more than 256 of a term. */
const LAST_POSITION = 16_383
const MOST_POSITIONS = 256
/** In bytes; PostgreSQL refuses longer terms. */
const LONGEST_TERM = 2046

/** Of a word. */
const TRIGRAMS = `ARRAY(SELECT DISTINCT substr('^' || word || '$', at::int, 3)
  FROM generate_series(1, length(word)) AS at)`

/** `tsvector` with the same terms as FTS5 has, so that both engines find the same; the server's stemmers are not used. */
export const POSTGRES_FULL_TEXT: FullText = {
  source: 'CAST(? AS tsquery) AS query JOIN document_term ON document_term.terms @@ query',
  condition: 'true',
  score: `ts_rank('${RANK_WEIGHTS}', document_term.terms, query, 1)`,

  weighsRarity: false,

  toMatchText(clauses, { facets }, scope = 'everywhere') {
    const toTerm = scope === 'title' ? titleTerm : (term: string) => term
    const texts = clauses.map((phrases) => phrases.map((phrase) => toPhraseText(phrase, toTerm)))
    const all = [...texts, ...facets.map((values) => values.map(quote))]
    if (all.length === 0) return quote(ANYTHING)
    return all.map((any) => `(${any.join(' | ')})`).join(' & ')
  },

  // Counted to the end: rows come in no order that an estimate could be made from, and the index counts them fast.
  frequencies: (phrases) => ({
    sql: `SELECT (SELECT count(*) FROM document_term
          WHERE terms @@ CAST(phrase.value AS tsquery)) AS count
      FROM json_each(?) AS phrase ORDER BY phrase.key`,
    values: [JSON.stringify(phrases.map((phrase) => toPhraseText(phrase)))],
  }),

  similarWords(word, limit) {
    const trigrams = toTrigrams(word)
    if (trigrams.length === 0) return undefined
    const given = JSON.stringify(trigrams)
    return {
      sql: `WITH given AS (SELECT array_agg(value) AS trigrams FROM json_each(?))
        SELECT w.word FROM given
          JOIN word_trigram AS t ON t.trigrams && given.trigrams
          JOIN word AS w ON w.id = t.rowid
        ORDER BY cardinality(ARRAY(
            SELECT unnest(t.trigrams) INTERSECT SELECT unnest(given.trigrams)))::float
          / cardinality(t.trigrams) DESC, w.word LIMIT ?`,
      values: [given, limit],
    }
  },

  insertTerms: (id, columns) => ({
    sql: 'INSERT INTO document_term (rowid, terms) VALUES (?, CAST(? AS tsvector))',
    values: [id, toVector(columns)],
  }),

  putTerms: (kind, ref, columns) => ({
    sql: `INSERT INTO document_term (rowid, terms)
      SELECT id, CAST(? AS tsvector) FROM document WHERE kind = ? AND ref = ?
      ON CONFLICT (rowid) DO UPDATE SET terms = excluded.terms`,
    values: [toVector(columns), kind, ref],
  }),

  learnWords: (words) => ({
    sql: `WITH added AS (
        INSERT INTO word (word) SELECT value FROM json_each(?) AS given
          WHERE NOT EXISTS (SELECT 1 FROM word WHERE word.word = given.value)
          ON CONFLICT DO NOTHING RETURNING id, word)
      INSERT INTO word_trigram (rowid, trigrams) SELECT id, ${TRIGRAMS} FROM added`,
    values: [JSON.stringify(words)],
  }),

  insertTrigrams: (afterId) => ({
    sql: `INSERT INTO word_trigram (rowid, trigrams)
      SELECT id, ${TRIGRAMS} FROM word WHERE id > ?`,
    values: [afterId],
  }),

  // The server erases deleted rows by itself.
  eraseDeleted: async () => false,

  async forgetUnused(sql, words) {
    const given = JSON.stringify(words.map(([id, stem]) => `${id} ${quote(stem)}`))
    const unused = `SELECT CAST(split_part(value, ' ', 1) AS bigint) FROM json_each(?)
      WHERE NOT EXISTS (SELECT 1 FROM document_term
        WHERE terms @@ CAST(substr(value, strpos(value, ' ') + 1) AS tsquery))`
    await sql.run(`DELETE FROM word_trigram WHERE rowid IN (${unused})`, [given])
    await sql.run(`DELETE FROM word WHERE id IN (${unused})`, [given])
  },

  indexedIds: 'SELECT rowid AS id FROM document_term',
  clear: ['DELETE FROM document_term', 'DELETE FROM word_trigram'],
}

/** The literal of a `tsvector`: 'term':1A,5C … */
function toVector(columns: TermColumns): string {
  const places = new Map<string, string[]>()
  let position = 1
  for (const name of ['title', 'tags', 'body', 'facets'] as const) {
    for (const term of columns[name].split(' ')) {
      // The dot is no term: it only keeps a phrase from running on.
      if (term !== '' && term !== '·' && Buffer.byteLength(term) <= LONGEST_TERM) {
        const known = places.get(term)
        const place = `${Math.min(position, LAST_POSITION)}${LABELS[name]}`
        if (known === undefined) places.set(term, [place])
        else if (known.length < MOST_POSITIONS) known.push(place)
      }
      position += 1
    }
    position += 1
  }
  return [...places].map(([term, at]) => `${quote(term)}:${at.join(',')}`).join(' ')
}

function toPhraseText(
  { terms, prefix = false }: Phrase,
  toTerm = (term: string): string => term,
): string {
  const quoted = terms.map((term) => quote(toTerm(term)))
  if (prefix) quoted[quoted.length - 1] += ':*'
  return quoted.length === 1 ? quoted.join('') : `(${quoted.join(' <-> ')})`
}

function quote(term: string): string {
  return `'${term.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}
