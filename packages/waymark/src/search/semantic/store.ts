import type { Sql, SqlReader } from '../../core/store/sql.ts'
import { DOCUMENT_COLUMNS, DOCUMENT_TABLES, type DocumentRecord, toDocument } from '../store.ts'

/** A text that a model has not seen yet, or not as it is now. */
export interface Unembedded {
  readonly documentId: number
  readonly position: number
  readonly text: string
  readonly textHash: string
  /** The model's vector of exactly this text is there already. */
  readonly isKnown: boolean
}

export interface VectorRow {
  /** Grows with every vector that is written. */
  readonly id: number
  readonly documentId: number
  readonly vector: Float32Array
}

type UnembeddedRecord = DocumentRecord & {
  readonly position: number
  readonly text_hash: string
  readonly known_hash: string | null
}

const PLACE = 'coalesce((SELECT position FROM embedding_progress WHERE model = ?), 0)'

export function createVectorReader(sql: SqlReader) {
  return {
    /** The first texts in the queue of a model. */
    async unembedded(model: string, limit: number): Promise<Unembedded[]> {
      const records = await sql.all<UnembeddedRecord>(
        `SELECT ${DOCUMENT_COLUMNS}, d.position, d.text_hash, v.text_hash AS known_hash
          FROM ${DOCUMENT_TABLES} LEFT JOIN vector AS v ON v.document_id = d.id AND v.model = ?
          WHERE d.position > ${PLACE} ORDER BY d.position LIMIT ?`,
        [model, model, limit],
      )
      return records.map(toUnembedded)
    },

    /** How many texts wait for a model. */
    async pending(model: string): Promise<number> {
      const row = await sql.get<{ count: number }>(
        `SELECT count(*) AS count FROM document WHERE position > ${PLACE}`,
        [model],
      )
      return row?.count ?? 0
    },

    /** Vectors of a model that were written after this one. */
    async after(model: string, id: number, limit: number): Promise<VectorRow[]> {
      const records = await sql.all<{ id: number; document_id: number; vector: Uint8Array }>(
        `SELECT id, document_id, vector FROM vector WHERE model = ? AND id > ? ORDER BY id LIMIT ?`,
        [model, id, limit],
      )
      return records.map((record) => ({
        id: record.id,
        documentId: record.document_id,
        vector: fromBytes(record.vector),
      }))
    },

    async count(model: string): Promise<number> {
      const row = await sql.get<{ count: number }>(
        'SELECT count(*) AS count FROM vector WHERE model = ?',
        [model],
      )
      return row?.count ?? 0
    },

    /** The documents that have a vector of a model. */
    async documentIds(model: string): Promise<number[]> {
      const records = await sql.all<{ document_id: number }>(
        'SELECT document_id FROM vector WHERE model = ?',
        [model],
      )
      return records.map(({ document_id }) => document_id)
    },
  }
}

export function createVectors(sql: Sql) {
  return {
    ...createVectorReader(sql),

    /** Keeps a vector, unless the text has changed since it was read. */
    async put(
      model: string,
      { documentId, textHash }: Unembedded,
      vector: Float32Array,
    ): Promise<void> {
      await sql.run('DELETE FROM vector WHERE document_id = ? AND model = ?', [documentId, model])
      await sql.run(
        `INSERT INTO vector (model, document_id, text_hash, vector)
          SELECT ?, id, text_hash, ? FROM document WHERE id = ? AND text_hash = ?`,
        [model, toBytes(vector), documentId, textHash],
      )
    },

    /** Says that everything up to here has been looked at. */
    async advance(model: string, position: number): Promise<void> {
      await sql.run(
        `INSERT INTO embedding_progress (model, position) VALUES (?, ?)
          ON CONFLICT (model) DO UPDATE SET position = max(embedding_progress.position, excluded.position)`,
        [model, position],
      )
    },

    /** Puts every text into the queue again. */
    async restart(model: string): Promise<void> {
      await sql.run('DELETE FROM embedding_progress WHERE model = ?', [model])
    },
  }
}

/** What is embedded: title, text and tags, a blank line between them. */
function toUnembedded(record: UnembeddedRecord): Unembedded {
  const { title, body, tags } = toDocument(record)
  const text = [title, body, tags.join(' ')].filter((part) => part !== '').join('\n\n')
  return {
    documentId: record.id,
    position: record.position,
    text,
    textHash: record.text_hash,
    isKnown: record.known_hash === record.text_hash,
  }
}

function toBytes(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}

/** Copied, because a blob from the database need not be aligned to four bytes. */
function fromBytes(bytes: Uint8Array): Float32Array {
  return new Float32Array(new Uint8Array(bytes).buffer)
}
