import type { Sql } from '../core/store/sql.ts'
import { stemOf } from './text/stem.ts'

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
  ON CONFLICT (name) DO UPDATE SET value = value + 1`

/** Stores words as candidates for spelling correction, except ids and hashes. */
export async function learnWords(sql: Sql, terms: ReadonlySet<string>): Promise<void> {
  const words = [...terms].filter((term) => MEMORABLE.test(term) && !IDENTIFIER.test(term))
  if (words.length === 0) return
  const state = await sql.get<{ id: number | null; deletions: number | null }>(
    `SELECT max(id) AS id, (SELECT value FROM counter WHERE name = 'word_deletions') AS deletions
      FROM word`,
  )
  const known = knownTo(sql, state?.deletions ?? 0)
  const unknown = words.filter((word) => !known.has(word))
  if (unknown.length === 0) return
  const added = await sql.run(
    'INSERT INTO word (word) SELECT value FROM json_each(?) WHERE true ON CONFLICT DO NOTHING',
    [JSON.stringify(unknown)],
  )
  if (added > 0) {
    await sql.run(
      `INSERT INTO word_trigram (rowid, word) SELECT id, '^' || word || '$' FROM word WHERE id > ?`,
      [state?.id ?? 0],
    )
    // They may be rolled back; the next text that has them finds them stored.
    return
  }
  if (known.size + unknown.length > MOST_KNOWN) known.clear()
  for (const word of unknown) known.add(word)
}

function knownTo({ connection }: Sql, deletions: number): Set<string> {
  const known = knownByConnection.get(connection)
  if (known?.deletions === deletions) return known.words
  const words = new Set<string>()
  knownByConnection.set(connection, { deletions, words })
  return words
}

/** Deletes the words of which the index, `temp.term_in_use`, has no form: it has stems. */
export async function forgetWords(sql: Sql): Promise<void> {
  const words = await sql.all<{ id: number; word: string }>('SELECT id, word FROM word')
  const unused = JSON.stringify(words.map(({ id, word }) => [id, stemOf(word)]))
  const condition = `IN (SELECT value ->> 0 FROM json_each(?)
    WHERE value ->> 1 NOT IN (SELECT term FROM temp.term_in_use))`
  await sql.run(`DELETE FROM word_trigram WHERE rowid ${condition}`, [unused])
  await sql.run(`DELETE FROM word WHERE id ${condition}`, [unused])
  await sql.run(COUNT_DELETION)
  await sql.run(`INSERT INTO word_trigram (word_trigram) VALUES ('optimize')`)
}
