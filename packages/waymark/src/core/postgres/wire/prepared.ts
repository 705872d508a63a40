import { randomBytes } from 'node:crypto'
import { DatabaseError } from 'pg'
import type { Client } from '../pool.ts'

/** A connection that knows so many is replaced after its use: the server keeps a plan of each, some ten kilobytes. */
const MOST_STATEMENTS = 1500

/** Pooling proxies lend a connection to several processes, whose names must differ. */
const PROCESS = randomBytes(4).toString('hex')

/** One column of the rows of a statement. */
export interface Column {
  readonly name: string
  readonly parse: (text: string) => unknown
}

/** A statement that is prepared on a connection. */
export interface Prepared {
  readonly name: string
  /** It was sent to be prepared. */
  isSent: boolean
  /** Known when the server has described it. */
  columns: readonly Column[]
}

/** By schema and text. */
type Statements = Map<string, Prepared>

const statementsByClient = new WeakMap<Client, Statements>()
let count = 0
let arePrepared = true

/**
 * A statement of this connection: the server parses and plans it once. By project, because a plan is one of the tables of
 * a project. Undefined behind a proxy that gives each transaction another connection.
 */
export function preparedOn(client: Client, schema: string, text: string): Prepared | undefined {
  if (!arePrepared) return undefined
  const statements = statementsByClient.get(client) ?? new Map<string, Prepared>()
  statementsByClient.set(client, statements)
  const key = `${schema} ${text}`
  const known = statements.get(key)
  if (known !== undefined) return known
  count += 1
  const prepared = { name: `${PROCESS}${count.toString(36)}`, isSent: false, columns: [] }
  statements.set(key, prepared)
  return prepared
}

/** For a statement that the server may not have got to: it is prepared again, under another name. */
export function forgetPrepared(client: Client, schema: string, text: string): void {
  statementsByClient.get(client)?.delete(`${schema} ${text}`)
}

export function isWornOut(client: Client): boolean {
  return (statementsByClient.get(client)?.size ?? 0) >= MOST_STATEMENTS
}

/**
 * Whether a prepared statement is not what it was on this connection: its tables have changed, or a proxy has put another
 * connection in place of the first. The transaction can be repeated on a new connection.
 */
export function isUnprepared(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false
  const { code = '', message } = error
  if (code === '26000' || code === '42P05') {
    // From now on none is prepared: a transaction that is repeated would meet the same.
    arePrepared = false
    return true
  }
  return code === '0A000' && message.includes('cached plan')
}
