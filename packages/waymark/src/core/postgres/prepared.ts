import { randomBytes } from 'node:crypto'
import { DatabaseError } from 'pg'
import type { Client } from './pool.ts'

/** A connection that knows so many is replaced after its use: the server keeps a plan of each, some ten kilobytes. */
const MOST_STATEMENTS = 1500

/** Pooling proxies lend a connection to several processes, whose names must differ. */
const PROCESS = randomBytes(4).toString('hex')

/** By schema and text. */
const namesByClient = new WeakMap<Client, Map<string, string>>()
let count = 0
let arePrepared = true

/**
 * The name under which a statement is prepared on this connection: the server parses and plans it once. By project, because
 * a plan is one of the tables of a project. Undefined behind a proxy that gives each transaction another connection.
 */
export function nameOf(client: Client, schema: string, text: string): string | undefined {
  if (!arePrepared) return undefined
  const names = namesByClient.get(client) ?? new Map<string, string>()
  namesByClient.set(client, names)
  const key = `${schema} ${text}`
  const known = names.get(key)
  if (known !== undefined) return known
  count += 1
  const name = `waymark_${PROCESS}_${count}`
  names.set(key, name)
  return name
}

export function isWornOut(client: Client): boolean {
  return (namesByClient.get(client)?.size ?? 0) >= MOST_STATEMENTS
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
