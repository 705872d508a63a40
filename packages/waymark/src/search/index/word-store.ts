import type { Sql } from '../../core/store/sql.ts'
import { readCounter } from '../../core/store/counters.ts'
import { SQLITE_FULL_TEXT } from '../../core/sqlite/full-text.ts'
import type { FullText } from '../../core/store/full-text.ts'
import { stemOf } from '../text/stem.ts'

const MEMORABLE = /^(?=.*\p{L}).{4,32}$/u
const IDENTIFIER = /^(?=.*\d)[0-9a-f]{6,}$/

/** Most words that a connection remembers to be stored. */
const MOST_KNOWN = 5_000

/** Words that are stored, by the connection that has seen them there, until words are deleted. */
const knownByConnection = new WeakMap<object, KnownWords>()

interface KnownWords {
  /** How often words had been deleted. */
  readonly deletions: number
  readonly words: Set<string>
}

/** Runs with every deletion of words: what connections have seen of them no longer holds. */
export const COUNT_DELETION = `INSERT INTO counter (name, value) VALUES ('word_deletions', 1)
  ON CONFLICT (name) DO UPDATE SET value = counter.value + 1`

/** Stores words as candidates for spelling correction, except ids and hashes. */
export async function learnWords(sql: Sql, terms: ReadonlySet<string>): Promise<void> {
  const fullText = fullTextOf(sql)
  if (fullText.learnWords !== undefined) {
    const words = [...terms].filter(isMemorable)
    if (words.length === 0) return
    const learning = fullText.learnWords(words)
    return await sql.send(learning.sql, learning.values)
  }
  const known = knownTo(sql, await readCounter(sql, 'word_deletions'))
  const unknown = [...terms].filter((term) => !known.has(term) && isMemorable(term))
  if (unknown.length === 0) return
  const last = await sql.get<{ id: number | null }>('SELECT max(id) AS id FROM word')
  const added = await sql.run(
    'INSERT INTO word (word) SELECT value FROM json_each(?) WHERE true ON CONFLICT DO NOTHING',
    [JSON.stringify(unknown)],
  )
  if (added > 0) {
    const { sql: text, values } = fullText.insertTrigrams(last?.id ?? 0)
    await sql.run(text, values)
    // They may be rolled back; the next text that has them finds them stored.
    return
  }
  if (known.size + unknown.length > MOST_KNOWN) known.clear()
  for (const word of unknown) known.add(word)
}

function isMemorable(term: string): boolean {
  return MEMORABLE.test(term) && !IDENTIFIER.test(term)
}

function knownTo({ connection }: Sql, deletions: number): Set<string> {
  if (connection === undefined) return new Set()
  const known = knownByConnection.get(connection)
  if (known?.deletions === deletions) return known.words
  const words = new Set<string>()
  knownByConnection.set(connection, { deletions, words })
  return words
}

/** Words looked up in one transaction. */
const WORDS_AT_ONCE = 500

/** Deletes words that are in no text any more, of the next after an id. Answers the last one's id, undefined at the end. */
export async function forgetWords(sql: Sql, after: number): Promise<number | undefined> {
  const words = await sql.all<{ id: number; word: string }>(
    'SELECT id, word FROM word WHERE id > ? ORDER BY id LIMIT ?',
    [after, WORDS_AT_ONCE],
  )
  if (words.length === 0) return undefined
  // The index has stems: a word goes when the last form of it has.
  const stems = words.map(({ id, word }) => [id, stemOf(word)] as const)
  await fullTextOf(sql).forgetUnused(sql, stems)
  await sql.run(COUNT_DELETION)
  return words.at(-1)?.id
}

export function fullTextOf(sql: Sql): FullText {
  return sql.fullText ?? SQLITE_FULL_TEXT
}
