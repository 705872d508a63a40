import {
  facet,
  type SearchDocument,
  type Terms,
  termsOf,
  titleTerm,
  toSearchDocument,
} from '../text/document.ts'
import type { RowChange } from '../../core/store/after-change.ts'
import { createSearchReader } from '../store.ts'
import { stemOf } from '../text/stem.ts'
import type { Sql, SqlValue } from '../../core/store/sql.ts'
import { ANYTHING } from '../../core/store/full-text.ts'
import { sha256 } from '../../support/hash/sha256.ts'
import { forgetWords, fullTextOf, learnWords } from './word-store.ts'

/** Raised when texts are cut into terms in another way: an index made by other rules no longer finds them. */
export const INDEX_VERSION = 2

/** Enough to tell one text of a project from the next. */
const HASH_DIGITS = 16

interface Known {
  readonly id: number
  readonly text_hash: string
  readonly type: string
  readonly status: string | null
}

export type SearchIndex = ReturnType<typeof createSearchIndex>

export function createSearchIndex(sql: Sql) {
  const pending = new PendingTerms(sql)
  const find = (kind: string, ref: string): Promise<Known | undefined> =>
    sql.get<Known>('SELECT id, text_hash, type, status FROM document WHERE kind = ? AND ref = ?', [
      kind,
      ref,
    ])
  const put = async (document: SearchDocument): Promise<void> => {
    const hash = hashOf(document)
    const known = await find(document.kind, document.ref)
    if (known === undefined) {
      const inserted = await insert(sql, document, hash)
      if (inserted !== undefined) pending.add(document, inserted.id)
      return
    }
    await update(sql, known.id, document, hash)
    const { type, status } = document
    const hasNewText = known.text_hash !== hash
    if (hasNewText) await queueAgain(sql, known.id)
    else if (known.type === type && known.status === status) return
    pending.replace(document, known.id, hasNewText)
  }
  return {
    /** What `put` reads of an entity. */
    find: (ref: string): Promise<unknown> => find('entity', ref),

    /** Flushes the writes that `put` deferred, at the end of every transaction. */
    settle: (): Promise<void> => pending.settle(),

    /** Inserts the document of a new entity. A damaged index may have one nevertheless, which is updated then. */
    async add(document: SearchDocument): Promise<void> {
      const inserted = await insert(sql, document, hashOf(document))
      if (inserted === undefined) await put(document)
      else pending.add(document, inserted.id)
    },

    /** Inserts or updates a document. */
    put,

    async remove(kind: string, ref: string): Promise<void> {
      const known = await find(kind, ref)
      if (known === undefined) return
      await pending.settle()
      await forgetTerms(sql, known.id)
      await sql.send('DELETE FROM vector WHERE document_id = ?', [known.id])
      await sql.send('DELETE FROM document WHERE id = ?', [known.id])
    },

    /** Deletes words that no text has any more, a slice after this id. Answers where the next begins. */
    async forgetWords(after: number): Promise<number | undefined> {
      await pending.settle()
      return await forgetWords(sql, after)
    },

    /** Erases deleted terms from the index files, a slice at a time. Answers whether something is left. */
    eraseDeleted: (isFirst: boolean): Promise<boolean> =>
      fullTextOf(sql).eraseDeleted(sql, isFirst),

    /** Indexes at most `limit` documents again, those after this id. Answers the last one's id, undefined at the end. */
    async reindex(after: number, limit: number): Promise<number | undefined> {
      const documents = await createSearchReader(sql).after(after, limit)
      for (const document of documents) pending.replace(document, document.id, true)
      return documents.at(-1)?.id
    },

    /** Says that the whole index follows today's rules. */
    async markCurrent(): Promise<void> {
      await sql.send(`UPDATE counter SET value = ? WHERE name = 'search_index'`, [INDEX_VERSION])
    },
  }
}

/** Updates the search index with the entities. */
export async function indexSearch(index: SearchIndex, change: RowChange): Promise<void> {
  switch (change.kind) {
    case 'inserted':
      return await index.add(toSearchDocument(change.row))
    case 'updated':
      return await index.put(toSearchDocument(change.row))
    case 'removed':
      return await index.remove('entity', change.id)
    case 'purged':
    case 'related':
    case 'unrelated':
      return
  }
}

const INSERT = `INSERT INTO document (kind, ref, type, status, title, body, tags, author,
    created_at, updated_at, text_hash, position)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (kind, ref)`
const INSERT_NEW = `${INSERT} DO NOTHING RETURNING id`

/** Undefined if the index has it already. Without an id where terms are stored by the name of the document. */
async function insert(
  sql: Sql,
  document: SearchDocument,
  hash: string,
): Promise<{ readonly id?: number } | undefined> {
  const values = [
    document.kind,
    document.ref,
    document.type,
    document.status,
    ...textColumnsOf(document),
    document.createdAt,
    document.updatedAt,
    hash,
    await nextPosition(sql),
  ]
  if (fullTextOf(sql).putTerms === undefined)
    return await sql.get<{ id: number }>(INSERT_NEW, values)
  const columns = 'type, status, title, body, tags, author, updated_at, text_hash, position'
  const replaced = columns.split(', ').map((name) => `${name} = excluded.${name}`)
  await sql.send(`${INSERT} DO UPDATE SET ${replaced.join(', ')}`, values)
  return {}
}

async function update(sql: Sql, id: number, document: SearchDocument, hash: string): Promise<void> {
  await sql.send(
    `UPDATE document SET type = ?, status = ?, title = ?, body = ?, tags = ?, author = ?,
        updated_at = ?, text_hash = ?
      WHERE id = ?`,
    [document.type, document.status, ...textColumnsOf(document), document.updatedAt, hash, id],
  )
}

/** Title, body, tags and author, where no other table has them: those of an entity are read from its row. */
function textColumnsOf({ kind, title, body, tags, author }: SearchDocument): SqlValue[] {
  return kind === 'entity' ? ['', '', '[]', null] : [title, body, JSON.stringify(tags), author]
}

/** At the end of the queue of every model. */
async function queueAgain(sql: Sql, id: number): Promise<void> {
  const position = await nextPosition(sql)
  await sql.send('UPDATE document SET position = ? WHERE id = ?', [position, id])
}

async function nextPosition(sql: Sql): Promise<number> {
  if (sql.counters !== undefined) return (await sql.counters.next('document')) ?? 0
  const row = await sql.get<{ value: number }>(
    `UPDATE counter SET value = value + 1 WHERE name = 'document' RETURNING value`,
  )
  return row?.value ?? 0
}

interface PendingDocument {
  /** Absent where terms are stored by the name of the document. */
  readonly id: number | undefined
  readonly document: SearchDocument
  /** The index has terms of it, which have to go. */
  readonly isKnown: boolean
  /** Its words may be new. Claims and completions change the status alone. */
  readonly hasNewText: boolean
}

/**
 * Deferred writes of a transaction to the full-text index. Most statements make FTS flush its memory, which is slow and
 * bloats the index if done per document, so all documents are written in one go.
 */
class PendingTerms {
  readonly #sql: Sql
  #documents = new Map<string, PendingDocument>()

  constructor(sql: Sql) {
    this.#sql = sql
  }

  add(document: SearchDocument, id?: number): void {
    this.#documents.set(nameOf(document), { id, document, isKnown: false, hasNewText: true })
  }

  replace(document: SearchDocument, id: number, hasNewText: boolean): void {
    const before = this.#documents.get(nameOf(document))
    this.#documents.set(nameOf(document), {
      id,
      document,
      isKnown: before?.isKnown ?? true,
      hasNewText: hasNewText || before?.hasNewText === true,
    })
  }

  async settle(): Promise<void> {
    if (this.#documents.size === 0) return
    const documents = [...this.#documents.values()]
    // A map that is cleared keeps what was in it until V8's next full collection.
    this.#documents = new Map()
    const isByName = fullTextOf(this.#sql).putTerms !== undefined
    for (const { id, isKnown } of documents)
      if (isKnown && !isByName && id !== undefined) await forgetTerms(this.#sql, id)
    const words = new Set<string>()
    for (const { id, document, hasNewText } of documents) {
      const terms = await indexTerms(this.#sql, id, document)
      if (hasNewText) for (const term of terms) words.add(term)
    }
    await learnWords(this.#sql, words)
  }
}

function nameOf({ kind, ref }: SearchDocument): string {
  return `${kind} ${ref}`
}

/** Answers the terms. */
async function indexTerms(
  sql: Sql,
  id: number | undefined,
  document: SearchDocument,
): Promise<string[]> {
  const { kind, ref, title, body, tags, type, status } = document
  const facets = [
    ANYTHING,
    facet('type', type),
    ...(status === null ? [] : [facet('status', status)]),
    ...tags.map((tag) => facet('tag', tag)),
  ]
  const columns = [title, body, tags.join('\n')].map(termsOf)
  const [titleColumn = '', ...others] = columns.map(toColumn)
  const marked = titleColumn.split(' ').filter(Boolean).map(titleTerm).join(' ')
  const [bodyColumn = '', tagsColumn = ''] = others
  const terms = {
    title: `${titleColumn} · ${marked}`,
    body: bodyColumn,
    tags: tagsColumn,
    facets: facets.join(' '),
  }
  const fullText = fullTextOf(sql)
  const { sql: text, values } =
    fullText.putTerms?.(kind, ref, terms) ?? fullText.insertTerms(id ?? 0, terms)
  await sql.send(text, values)
  return columns.flatMap(({ parts, joined }) => [...parts, ...joined])
}

async function forgetTerms(sql: Sql, id: number): Promise<void> {
  await sql.send('DELETE FROM document_term WHERE rowid = ?', [id])
}

/** The stems of a text. Those of joined forms follow it; the dot, which is no term, keeps a phrase from running into them. */
function toColumn({ parts, joined }: Terms): string {
  const stems = [...parts.map(stemOf), ...(joined.length > 0 ? ['·', ...joined.map(stemOf)] : [])]
  return stems.join(' ')
}

/** Changes when the text that is searched or embedded does. */
export function hashOf({ title, body, tags }: SearchDocument): string {
  return sha256(JSON.stringify([title, body, tags])).slice(0, HASH_DIGITS)
}
