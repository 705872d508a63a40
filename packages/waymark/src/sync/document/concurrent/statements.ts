import { LONG_TEXTS } from '../../../entity/entity.ts'
import { TASK_RECORD } from '../../../task/fields.ts'
import type { EntityChange } from '../ops-store.ts'

/** The container of statements: for each field, the changes that no later change of the field has seen. */
export const STATEMENTS = 'statements'

/** A change of one field, concurrent with the other statements about it. */
export interface Statement {
  /** Author id of the change, which has no other operations than those of the change. */
  readonly peer: string
  /** Milliseconds since 1970, by the clock of its author. */
  readonly at: number
  /** Undefined for a text, which is read from the history. */
  readonly value: unknown
}

/** Of more concurrent changes only the latest count. */
const MOST_STATEMENTS = 16

const NAME = /^([a-z_0-9]{1,100}) (\d{1,20})$/

/** The new values of fields that are no lists and have no rule of their own, by name. */
export function toStated(change: EntityChange): ReadonlyMap<string, unknown> {
  const stated = new Map<string, unknown>()
  const title = change.fields?.['title']
  if (title !== undefined) stated.set('title', title)
  if (change.content !== undefined) stated.set('content', change.content)
  for (const [name, value] of Object.entries(change.properties ?? {})) {
    if (name === 'status' || TASK_RECORD.has(name) || name.startsWith('external_')) continue
    if (!Array.isArray(value)) stated.set(name, value)
  }
  return stated
}

export function toStatementName(field: string, peer: string): string {
  return `${field} ${peer}`
}

/** Fields with several statements, which are in the order of their times. Untrusted. */
export function findConcurrent(raw: unknown): ReadonlyMap<string, readonly Statement[]> {
  const found = new Map<string, Statement[]>()
  if (typeof raw !== 'object' || raw === null) return found
  for (const [name, given] of Object.entries(raw)) {
    const [, field = '', peer = ''] = NAME.exec(name) ?? []
    const { at, value } = (given ?? {}) as Readonly<Record<string, unknown>>
    if (field === '' || typeof at !== 'number') continue
    const statements = found.get(field) ?? []
    statements.push({ peer, at, value })
    found.set(field, statements)
  }
  return new Map(
    [...found]
      .filter(([, statements]) => statements.length > 1)
      .map(([field, statements]) => [field, statements.toSorted(byTime).slice(-MOST_STATEMENTS)]),
  )
}

export function isText(field: string): boolean {
  return field === 'content' || LONG_TEXTS.has(field)
}

/** The container of a text. */
export function textName(field: string): string {
  return `text:${field}`
}

/** The container of a field that is no text. */
export function homeOf(field: string): string {
  return field === 'title' ? 'fields' : 'properties'
}

function byTime(a: Statement, b: Statement): number {
  if (a.at !== b.at) return a.at - b.at
  return BigInt(a.peer) < BigInt(b.peer) ? -1 : 1
}
