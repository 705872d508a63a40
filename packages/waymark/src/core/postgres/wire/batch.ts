import pg from 'pg'
import type { SqlValue } from '../../store/sql.ts'
import { type Client, parserOf } from '../pool.ts'
import { Frames } from './frames.ts'
import { type Column, forgetPrepared, type Prepared, preparedOn } from './prepared.ts'

/** What a statement came to. */
export interface Answer {
  readonly rows: object[]
  /** How many rows it changed or found. */
  readonly count: number
}

export interface Statement {
  readonly text: string
  /** Absent for `BEGIN` and the like, which are not worth preparing and give no rows. */
  readonly values?: readonly SqlValue[]
  readonly succeed: (answer: Answer) => void
  readonly fail: (error: unknown) => void
}

interface Sent extends Statement {
  /** Undefined for one that is prepared anew each time. */
  readonly prepared: Prepared | undefined
  /** It is prepared by this batch. */
  readonly isNew: boolean
  columns: readonly Column[]
}

const frames = new Frames()

/**
 * Statements that are sent in one packet and answered in one: the server is asked to answer after the last, and not after
 * each, as it would be by queries of `pg`. Columns are described once for each connection. After one that fails the server skips the rest.
 */
class Batch extends pg.Query {
  readonly #client: Client
  readonly #schema: string
  readonly #sent: readonly Sent[]
  readonly #answers: Answer[] = []
  #rows: object[] = []

  constructor(client: Client, schema: string, statements: readonly Statement[]) {
    super({ text: '' })
    this.#client = client
    this.#schema = schema
    this.#sent = statements.map((statement) => this.#prepare(statement))
  }

  // What a connection of `pg` calls, under its names.

  /** An error that it returns comes back through `handleError`. Nothing was sent then. */
  override submit = ({ stream }: pg.Connection): Error | undefined => {
    try {
      for (const one of this.#sent) write(one)
      frames.sync()
    } catch (error) {
      // What is written already must not begin the next packet, which may be one of another project.
      frames.take()
      return error instanceof Error ? error : new Error('a statement cannot be sent')
    }
    const packet = frames.take()
    if (stream.writable) stream.write(packet)
    return undefined
  }

  handleRowDescription({ fields }: { readonly fields: readonly pg.FieldDef[] }): void {
    const one = this.#current
    if (one === undefined) return
    const columns = fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) }))
    if (one.prepared === undefined) one.columns = columns
    else one.prepared.columns = columns
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const one = this.#current
    const columns = one?.prepared?.columns ?? one?.columns ?? []
    const row: Record<string, unknown> = {}
    for (const [at, { name, parse }] of columns.entries()) {
      const text = fields[at] ?? null
      row[name] = text === null ? null : parse(text)
    }
    this.#rows.push(row)
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#answers.push({ rows: this.#rows, count: countOf(text) })
    this.#rows = []
  }

  handleReadyForQuery(): void {
    for (const [at, { succeed, fail }] of this.#sent.entries()) {
      const answer = this.#answers[at]
      if (answer === undefined) fail(new Error('the server has not answered a statement'))
      else succeed(answer)
    }
  }

  handleError(error: unknown): void {
    for (const [at, one] of this.#sent.entries()) {
      const answer = this.#answers[at]
      if (answer !== undefined) one.succeed(answer)
      else {
        if (one.isNew) forgetPrepared(this.#client, this.#schema, one.text)
        one.fail(error)
      }
    }
  }

  get #current(): Sent | undefined {
    return this.#sent[this.#answers.length]
  }

  #prepare(statement: Statement): Sent {
    const prepared =
      statement.values === undefined
        ? undefined
        : preparedOn(this.#client, this.#schema, statement.text)
    const isNew = prepared?.isSent === false
    if (prepared !== undefined) prepared.isSent = true
    return { ...statement, prepared, isNew, columns: [] }
  }
}

export function sendBatch(client: Client, schema: string, statements: readonly Statement[]): void {
  client.query(new Batch(client, schema, statements))
}

function write({ text, values, prepared, isNew }: Sent): void {
  const name = prepared?.name ?? ''
  if (prepared === undefined || isNew) frames.parse(name, text)
  if (isNew) frames.describeStatement(name)
  frames.bind(name, values ?? [])
  if (prepared === undefined && values !== undefined) frames.describePortal()
  frames.execute()
}

/** The last word of `UPDATE 3` or `INSERT 0 1`; `COMMIT` counts nothing. */
function countOf(tag: string): number {
  return Number(tag.slice(tag.lastIndexOf(' ') + 1)) || 0
}
