import { type SearchDocument, toSearchDocument } from './text/document.ts'
import type { Match, Phrase } from './text/plan.ts'
import { camelColumns, type SqlReader, type SqlValue, type Stored } from '../core/store/sql.ts'
import type { Clauses, FullText, Scope } from '../core/store/full-text.ts'
import { SQLITE_FULL_TEXT } from '../core/sqlite/full-text.ts'
import { parseStored } from '../core/store/stored-json.ts'

export interface FoundDocument extends SearchDocument {
  readonly id: number
}

type TextRecord = Stored<FoundDocument, 'tags'>

/** A document with the columns that it is made from where it is that of an entity; null where it is not. */
export type DocumentRecord = TextRecord & {
  readonly entityTitle: string | null
  readonly content: string | null
  readonly entityTags: string
  readonly properties: string
  readonly createdBy: string | null
}

/** Texts of entities are not stored twice. */
export const DOCUMENT_TABLES = `document AS d LEFT JOIN entity AS e ON d.kind = 'entity' AND e.id = d.ref`

export const DOCUMENT_COLUMNS = `${camelColumns(
  'id, kind, ref, type, status, title, body, tags, author, created_at, updated_at',
  'd.',
)}, e.title AS entityTitle, e.content, e.tags AS entityTags, e.properties, ${camelColumns('created_by', 'e.')}`

/** What tells whether an entity is indexed as it is. */
export interface IndexedEntity {
  readonly ref: string
  readonly type: string
  readonly status: string | null
  readonly textHash: string
}

export function createSearchReader(sql: SqlReader) {
  const fullText = sql.fullText ?? SQLITE_FULL_TEXT
  return {
    /** Whether `best` counts rare words for more. */
    weighsRarity: fullText.weighsRarity,

    /** The documents whose words are worth most, in the order of their worth. */
    async best(clauses: Clauses, match: Match, limit: number): Promise<number[]> {
      const { from, where, values } = toCondition(fullText, match, { clauses })
      const rows = await sql.all<{ id: number }>(
        `SELECT document_term.rowid AS id ${from} WHERE ${where} ORDER BY ${fullText.score} DESC LIMIT ?`,
        [...values, limit],
      )
      return rows.map(({ id }) => id)
    },

    /** How many documents have each of these phrases; beyond `limit` an estimate from the oldest so many. */
    async frequencies(phrases: readonly Phrase[], limit: number): Promise<readonly number[]> {
      const { sql: text, values } = fullText.frequencies(phrases, limit)
      const rows = await sql.all<{ count: number }>(text, values)
      return rows.map(({ count }) => count)
    },

    /** Words of the index that begin like this one, in the order of the alphabet. */
    async wordsFrom(start: string, limit: number): Promise<string[]> {
      const rows = await sql.all<{ word: string }>(
        'SELECT word FROM word WHERE word >= ? AND word < ? ORDER BY word LIMIT ?',
        [start, `${start}\u{10ffff}`, limit],
      )
      return rows.map(({ word }) => word)
    },

    /** No document has a higher id; about as many as there are. */
    async lastId(): Promise<number> {
      return (await sql.get<{ id: number | null }>('SELECT max(id) AS id FROM document'))?.id ?? 0
    },

    /** Documents that match, newest first, from below `before` on. */
    async list(
      match: Match,
      {
        limit,
        clauses = [],
        scope,
        before = Number.MAX_SAFE_INTEGER,
      }: {
        readonly limit: number
        readonly clauses?: Clauses
        readonly scope?: Scope
        readonly before?: number
      },
    ): Promise<number[]> {
      const { from, where, values } = toCondition(fullText, match, { clauses, scope })
      const rows = await sql.all<{ id: number }>(
        `SELECT document_term.rowid AS id ${from} WHERE ${where} AND document_term.rowid < ?
          ORDER BY document_term.rowid DESC LIMIT ?`,
        [...values, before, limit],
      )
      return rows.map(({ id }) => id)
    },

    /** How many documents match; counts no further than `limit`. */
    async count(match: Match, limit: number): Promise<number> {
      const { from, where, values } = toCondition(fullText, match, {})
      const row = await sql.get<{ count: number }>(
        `SELECT count(*) AS count FROM (SELECT 1 ${from} WHERE ${where} LIMIT ?) AS matching`,
        [...values, limit],
      )
      return row?.count ?? 0
    },

    /** The documents with these ids, in this order, only of these types if any. One that is gone is left out. */
    async documents(
      ids: readonly number[],
      types: readonly string[] = [],
    ): Promise<FoundDocument[]> {
      if (ids.length === 0) return []
      const ofTypes = types.length === 0 ? '' : `AND d.type IN (${types.map(() => '?').join(', ')})`
      const records = await sql.all<DocumentRecord>(
        `SELECT ${DOCUMENT_COLUMNS} FROM ${DOCUMENT_TABLES} 
          WHERE d.id IN (SELECT CAST(value AS BIGINT) FROM json_each(?)) ${ofTypes}`,
        [JSON.stringify(ids), ...types],
      )
      const byId = new Map(records.map((record) => [record.id, toDocument(record)]))
      return ids.flatMap((id) => byId.get(id) ?? [])
    },

    /** What the index says of these entities. */
    ofEntities: (ids: readonly string[]): Promise<IndexedEntity[]> =>
      sql.all<IndexedEntity>(
        `SELECT ref, type, status, ${camelColumns('text_hash')} FROM document
          WHERE kind = 'entity' AND ref IN (SELECT value FROM json_each(?))`,
        [JSON.stringify(ids)],
      ),

    /** Documents with an id above this one, in the order of their ids. */
    async after(id: number, limit: number): Promise<FoundDocument[]> {
      const records = await sql.all<DocumentRecord>(
        `SELECT ${DOCUMENT_COLUMNS} FROM ${DOCUMENT_TABLES} WHERE d.id > ? ORDER BY d.id LIMIT ?`,
        [id, limit],
      )
      return records.map(toDocument)
    },

    /** Indexed words that share the most trigrams with this one. */
    async similarWords(word: string, limit: number): Promise<string[]> {
      const statement = fullText.similarWords(word, limit)
      if (statement === undefined) return []
      const rows = await sql.all<{ word: string }>(statement.sql, statement.values)
      return rows.map((row) => row.word)
    },

    /** The version of the rules that the index was made by. */
    async indexVersion(): Promise<number> {
      const row = await sql.get<{ value: number }>(
        `SELECT value FROM counter WHERE name = 'search_index'`,
      )
      return row?.value ?? 0
    },

    async size(): Promise<{ readonly documents: number; readonly words: number }> {
      const row = await sql.get<{ documents: number; words: number }>(
        `SELECT (SELECT count(*) FROM document) AS documents, (SELECT count(*) FROM word) AS words`,
      )
      return row ?? { documents: 0, words: 0 }
    },
  }
}

function toCondition(
  fullText: FullText,
  match: Match,
  { clauses = [], scope }: { readonly clauses?: Clauses; readonly scope?: Scope | undefined },
): { from: string; where: string; values: SqlValue[] } {
  const conditions = [fullText.condition]
  const values: SqlValue[] = [fullText.toMatchText(clauses, match, scope)]
  // By row rather than by facet: almost every document has the same kind, and such a word costs more than it saves.
  if (match.kinds !== undefined) {
    conditions.push(`d.kind IN (${match.kinds.map(() => '?').join(', ')})`)
    values.push(...match.kinds)
  }
  if (match.createdAfter !== undefined) {
    conditions.push('d.created_at >= ?')
    values.push(match.createdAfter)
  }
  if (match.createdBefore !== undefined) {
    conditions.push('d.created_at <= ?')
    values.push(match.createdBefore)
  }
  // Looking at the rows of all matches would cost more than scoring them.
  const rows = conditions.length > 1 ? ' JOIN document d ON d.id = document_term.rowid' : ''
  return { from: `FROM ${fullText.source}${rows}`, where: conditions.join(' AND '), values }
}

export function toDocument(record: DocumentRecord): FoundDocument {
  const { entityTitle, content, entityTags, properties, createdBy, ...own } = record
  const { id, kind, ref } = own
  const what = `what is indexed of ${kind} ${ref}`
  if (entityTitle === null) return { ...own, tags: parseStored(own.tags, what) }
  const entity = {
    ...own,
    id: ref,
    title: entityTitle,
    content,
    tags: parseStored<string[]>(entityTags, what),
    properties: parseStored<Record<string, unknown>>(properties, what),
    createdBy,
  }
  return { ...toSearchDocument(entity), id }
}
