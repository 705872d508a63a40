import type { Match, Phrase } from '../../search/text/plan.ts'
import type { Sql, SqlValue } from './sql.ts'

/** A facet that every document has. */
export const ANYTHING = '§all'

export type Scope = 'everywhere' | 'title'

/** What a document must have: one phrase of every clause. */
export type Clauses = readonly (readonly Phrase[])[]

/** The terms of a document, already split and folded, with blanks between them. */
export interface TermColumns {
  readonly title: string
  readonly body: string
  readonly tags: string
  readonly facets: string
}

interface Statement {
  readonly sql: string
  readonly values: readonly SqlValue[]
}

/** A word by its id, and the term that the index has in its place. */
type StemmedWord = readonly [id: number, stem: string]

/** Full text is what engines do most differently: each has a twin of this, in a file of the same name. */
export interface FullText {
  /** Tables of a statement about matches. Their first placeholder, or that of `condition`, takes a match text. */
  readonly source: string
  readonly condition: string
  /** What a match is worth by its words, larger is better. */
  readonly score: string
  /** Whether the score counts rare words for more. */
  readonly weighsRarity: boolean
  toMatchText(clauses: Clauses, match: Pick<Match, 'facets'>, scope?: Scope): string
  /** How many documents have each phrase; beyond `limit` an estimate from the oldest so many. */
  frequencies(phrases: readonly Phrase[], limit: number): Statement
  /** Words of the index that share the most trigrams with this one; undefined where it has none. */
  similarWords(word: string, limit: number): Statement | undefined
  insertTerms(id: number, columns: TermColumns): Statement
  /** The same for a document by its name, whether the index has terms of it or not; absent where only its id will do. */
  putTerms?(kind: string, ref: string, columns: TermColumns): Statement
  /** Stores words and their trigrams, except those that are stored; absent where it takes two statements. */
  learnWords?(words: readonly string[]): Statement
  /** Of the words above an id. */
  insertTrigrams(afterId: number): Statement
  /**
   * Erases terms of deleted documents from the index, a slice of it at a time; `isFirst` begins anew. Answers whether
   * something is left.
   */
  eraseDeleted(sql: Sql, isFirst: boolean): Promise<boolean>
  /** Deletes those of these words that are in no document. */
  forgetUnused(sql: Sql, words: readonly StemmedWord[]): Promise<void>
  /** A query of the documents that have terms. */
  readonly indexedIds: string
  /** Statements that empty the index. */
  readonly clear: readonly string[]
}
