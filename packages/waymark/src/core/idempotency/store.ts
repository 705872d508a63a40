import type { Sql } from '../store/sql.ts'
import { parseStored } from '../store/stored-json.ts'

/** How long responses are stored for retries. */
export const ANSWERS_KEPT_MS = 24 * 60 * 60 * 1000

/** The stored response of a call with an idempotency key. */
export interface AnswerRow {
  readonly operation: string
  readonly key: string
  /** Hash of the input: the same key with other input is a conflict. */
  readonly requestHash: string
  /** Undefined when it was erased by the purge of an entity that it names. */
  readonly output: unknown
  /** Milliseconds since 1970. */
  readonly at: number
  /** Null in rows from before this column. */
  readonly agentId: string | null
  /** Key by which the agent's successor finds it after `process` has exited. */
  readonly lineage: string | null
  readonly process: string | null
}

type Owner = Pick<AnswerRow, 'key' | 'agentId' | 'process'>

export interface Answers {
  find(operation: string, key: string): Promise<AnswerRow | undefined>
  /** Responses to agents of one name under one key, latest first. */
  ofLineage(operation: string, lineage: string): Promise<AnswerRow[]>
  /** Moves a response to another agent. */
  pass(answer: Pick<AnswerRow, 'operation' | 'key'>, to: Owner): Promise<void>
  put(answer: AnswerRow): Promise<void>
  forgetBefore(at: number): Promise<void>
}

interface AnswerRecord {
  readonly operation: string
  readonly key: string
  readonly request_hash: string
  readonly output: string
  readonly at: number
  readonly agent_id: string | null
  readonly lineage: string | null
  readonly process: string | null
}

const COLUMNS = 'operation, key, request_hash, output, at, agent_id, lineage, process'

/** Marks an erased output; valid JSON is never empty. */
const ERASED = ''

export function createAnswers(sql: Sql): Answers {
  return {
    async find(operation, key) {
      const record = await sql.get<AnswerRecord>(
        `SELECT ${COLUMNS} FROM answer WHERE operation = ? AND key = ?`,
        [operation, key],
      )
      return record && toAnswer(record)
    },

    async ofLineage(operation, lineage) {
      const records = await sql.all<AnswerRecord>(
        `SELECT ${COLUMNS} FROM answer WHERE operation = ? AND lineage = ? ORDER BY at DESC, key`,
        [operation, lineage],
      )
      return records.map(toAnswer)
    },

    async pass({ operation, key }, to) {
      await sql.run(
        `UPDATE answer SET key = ?, agent_id = ?, process = ? WHERE operation = ? AND key = ?`,
        [to.key, to.agentId, to.process, operation, key],
      )
    },

    async put({ operation, key, requestHash, output, at, agentId, lineage, process }) {
      await sql.run(`INSERT INTO answer (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, [
        operation,
        key,
        requestHash,
        JSON.stringify(output),
        at,
        agentId,
        lineage,
        process,
      ])
    },

    async forgetBefore(at) {
      await sql.run('DELETE FROM answer WHERE at < ?', [at])
    },
  }
}

function toAnswer(record: AnswerRecord): AnswerRow {
  const { request_hash: requestHash, output: kept, agent_id: agentId, ...rest } = record
  const output =
    kept === ERASED ? undefined : parseStored<unknown>(kept, `the answer to ${record.operation}`)
  return { ...rest, requestHash, agentId, output }
}

/**
 * Erases every stored response that names the entity. The key stays, or a retry would run the call again. The hash of
 * the input is erased as well, because it would confirm a guess of the purged text.
 */
export async function eraseAnswers(sql: Sql, entityId: string): Promise<void> {
  await sql.run(`UPDATE answer SET output = ?, request_hash = '' WHERE instr(output, ?) > 0`, [
    ERASED,
    entityId,
  ])
}
