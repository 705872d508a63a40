import type { Sql } from './sql.ts'
import { parseStored } from './stored-json.ts'

/** For so long a repeated call gets the answer that it got before. */
export const ANSWERS_KEPT_MS = 24 * 60 * 60 * 1000

/** What a call was answered that carried a key, so that the call can be repeated and has its effect once. */
interface AnswerRow {
  readonly operation: string
  readonly key: string
  /** Of the call's input: the same key with another input is a mistake. */
  readonly requestHash: string
  /** Undefined when it was erased with something that it told of. */
  readonly output: unknown
  /** Milliseconds since 1970. */
  readonly at: number
}

export interface Answers {
  find(operation: string, key: string): Promise<AnswerRow | undefined>
  put(answer: AnswerRow): Promise<void>
  forgetBefore(at: number): Promise<void>
}

interface AnswerRecord {
  readonly operation: string
  readonly key: string
  readonly request_hash: string
  readonly output: string
  readonly at: number
}

/** Instead of an output that is gone: no output is written so. */
const ERASED = ''

export function createAnswers(sql: Sql): Answers {
  return {
    async find(operation, key) {
      const record = await sql.get<AnswerRecord>(
        'SELECT operation, key, request_hash, output, at FROM answer WHERE operation = ? AND key = ?',
        [operation, key],
      )
      if (record === undefined) return undefined
      const { request_hash: requestHash, output: kept, ...rest } = record
      const output =
        kept === ERASED ? undefined : parseStored<unknown>(kept, `the answer to ${operation}`)
      return { ...rest, requestHash, output }
    },

    async put({ operation, key, requestHash, output, at }) {
      await sql.run(
        'INSERT INTO answer (operation, key, request_hash, output, at) VALUES (?, ?, ?, ?, ?)',
        [operation, key, requestHash, JSON.stringify(output), at],
      )
    },

    async forgetBefore(at) {
      await sql.run('DELETE FROM answer WHERE at < ?', [at])
    },
  }
}

/**
 * Empties every answer that names the entity. That the call was made stays known, or repeated it would have its effect
 * a second time. The hash of its input goes too: it confirms whoever guesses what the input said.
 */
export async function eraseAnswers(sql: Sql, entityId: string): Promise<void> {
  await sql.run(`UPDATE answer SET output = ?, request_hash = '' WHERE instr(output, ?) > 0`, [
    ERASED,
    entityId,
  ])
}
