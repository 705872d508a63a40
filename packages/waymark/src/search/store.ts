import type { Candidate } from './text/ranking.ts'
import type { SearchDocument } from './text/document.ts'
import type { Match } from './text/plan.ts'
import { camelColumns, type SqlReader, type SqlValue, type Stored } from '../core/store/sql.ts'
import {
  FLAT_SCORES,
  type Scope,
  SCORE,
  toMatchText,
  toTrigramText,
} from '../core/sqlite/full-text.ts'
import { parseStored } from '../core/store/stored-json.ts'

export interface FoundDocument extends SearchDocument {
  readonly id: number
}

type DocumentRecord = Stored<FoundDocument, 'tags'>

const COLUMNS = camelColumns(
  'id, kind, ref, type, status, title, body, tags, author, created_at, updated_at',
)

export type SearchReader = ReturnType<typeof createSearchReader>

export function createSearchReader(sql: SqlReader) {
  return {
    /** The newest `limit` documents that match, with what their words are worth. */
    async candidates(
      match: Match,
      {
        limit,
        scope = 'everywhere',
        isScored = true,
      }: {
        readonly limit: number
        readonly scope?: Scope
        /** Without, every match is worth the same: how rare its words are is not looked up. */
        readonly isScored?: boolean
      },
    ): Promise<Candidate[]> {
      const { where, values } = toCondition(match, scope)
      return await sql.all<Candidate>(
        `SELECT d.id, d.type, d.status, d.updated_at AS updatedAt,
            ${isScored ? SCORE : FLAT_SCORES[scope]} AS score
          FROM document_term JOIN document d ON d.id = document_term.rowid
          WHERE ${where} ORDER BY document_term.rowid DESC LIMIT ?`,
        [...values, limit],
      )
    },

    /** Documents that match, newest first, from below `before` on. */
    async list(
      match: Match,
      {
        limit,
        before = Number.MAX_SAFE_INTEGER,
      }: { readonly limit: number; readonly before?: number },
    ): Promise<number[]> {
      const { where, values } = toCondition(match, 'everywhere')
      const rows = await sql.all<{ id: number }>(
        `SELECT d.id FROM document_term JOIN document d ON d.id = document_term.rowid
          WHERE ${where} AND document_term.rowid < ? ORDER BY document_term.rowid DESC LIMIT ?`,
        [...values, before, limit],
      )
      return rows.map(({ id }) => id)
    },

    /** How many documents match; counts no further than `limit`. */
    async count(match: Match, limit: number): Promise<number> {
      const { where, values } = toCondition(match, 'everywhere')
      const row = await sql.get<{ count: number }>(
        `SELECT count(*) AS count FROM (
          SELECT 1 FROM document_term JOIN document d ON d.id = document_term.rowid
            WHERE ${where} LIMIT ?)`,
        [...values, limit],
      )
      return row?.count ?? 0
    },

    /** The documents with these ids, in this order. One that is gone is left out. */
    async documents(ids: readonly number[]): Promise<FoundDocument[]> {
      const records = await sql.all<DocumentRecord>(
        `SELECT ${COLUMNS} FROM document WHERE id IN (${ids.map(() => '?').join(', ')})`,
        ids,
      )
      const byId = new Map(records.map((record) => [record.id, toDocument(record)]))
      return ids.flatMap((id) => byId.get(id) ?? [])
    },

    /** The documents of these entities. */
    async ofEntities(ids: readonly string[]): Promise<FoundDocument[]> {
      const records = await sql.all<DocumentRecord>(
        `SELECT ${COLUMNS} FROM document
          WHERE kind = 'entity' AND json_valid(tags) AND ref IN (SELECT value FROM json_each(?))`,
        [JSON.stringify(ids)],
      )
      return records.map(toDocument)
    },

    /** Documents with an id above this one, in the order of their ids. */
    async after(id: number, limit: number): Promise<FoundDocument[]> {
      const records = await sql.all<DocumentRecord>(
        `SELECT ${COLUMNS} FROM document WHERE id > ? ORDER BY id LIMIT ?`,
        [id, limit],
      )
      return records.map(toDocument)
    },

    /** Indexed words that share the most trigrams with this one. */
    async similarWords(word: string, limit: number): Promise<string[]> {
      const trigrams = toTrigramText(word)
      if (trigrams === '') return []
      const rows = await sql.all<{ word: string }>(
        `SELECT w.word FROM word_trigram JOIN word w ON w.id = word_trigram.rowid
          WHERE word_trigram MATCH ? ORDER BY bm25(word_trigram) LIMIT ?`,
        [trigrams, limit],
      )
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

function toCondition(match: Match, scope: Scope): { where: string; values: SqlValue[] } {
  const conditions = ['document_term MATCH ?']
  const values: SqlValue[] = [toMatchText(match, scope)]
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
  return { where: conditions.join(' AND '), values }
}

function toDocument(record: DocumentRecord): FoundDocument {
  const { kind, ref, tags } = record
  return { ...record, tags: parseStored(tags, `what is indexed of ${kind} ${ref}`) }
}
