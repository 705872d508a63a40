import { randomUUID } from 'node:crypto'
import {
  toStoredData,
  toStoredSubject,
  toStoredType,
} from '../../packages/waymark/src/event/event-record.ts'
import { counterOf } from '../../packages/waymark/src/entity/count/store.ts'
import { hashOf } from '../../packages/waymark/src/search/index/index-store.ts'
import {
  facet,
  titleTerm,
  toSearchDocument,
} from '../../packages/waymark/src/search/text/document.ts'
import { stemOf } from '../../packages/waymark/src/search/text/stem.ts'
import type { EntityChange } from '../../packages/waymark/src/sync/document/ops-store.ts'
import { toStoredChange } from '../../packages/waymark/src/sync/document/ops-store.ts'
import { Connection } from '@waymark/sqlite'
import { randomBelow, VOCABULARY, wordAt, wordsFor } from './words.ts'

/** Rows in one transaction. */
const BATCH = 20_000
const EVENTS_EACH = 5
const BY = 'bench'
const AT = 1_750_000_000_000
const AGENT_ID = 'A1FA7A380'
const ORIGIN = JSON.stringify({ via: 'mcp', agent: AGENT_ID })
const TITLE_WORDS = 5
const CONTENT_WORDS = 30
const PRIORITIES = [0, 250, 500, 750] as const
const LATER_EVENTS = ['task.claimed', 'entity.updated', 'task.released', 'entity.updated'] as const

/**
 * Fills a new store with rows as Waymark writes them, in large transactions: half of them tasks, of which a third is
 * done and a fifth waits for others; the others notes and decisions, five events for each. Answers their ids.
 */
export function generate(database: string, entities: number): readonly string[] {
  const connection = new Connection(database, 'write', { cacheKilobytes: 1_000_000 })
  // Nothing of it has to survive a crash.
  connection.exec('PRAGMA synchronous = OFF')
  const ids: string[] = []
  inBatches(connection, VOCABULARY, (at) => {
    connection.run('INSERT INTO word (id, word) VALUES (?, ?)', at + 1, wordAt(at))
    const trigrams = 'INSERT INTO word_trigram (rowid, word) VALUES (?, ?)'
    connection.run(trigrams, at + 1, `^${wordAt(at)}$`)
  })
  const kinds = new Map<string, number>()
  inBatches(connection, entities, (at) => {
    const { id, kind } = insertEntity(connection, at, ids)
    ids.push(id)
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  })
  inBatches(connection, entities * EVENTS_EACH, (at) => insertEvent(connection, at, ids))
  connection.transaction(() => {
    const counters = { entity: entities, document: entities, event: entities * EVENTS_EACH }
    for (const [name, value] of Object.entries(counters))
      connection.run('UPDATE counter SET value = ? WHERE name = ?', value, name)
    for (const [name, value] of kinds) insert(connection, 'counter', { name, value })
  })
  connection.get('PRAGMA wal_checkpoint(TRUNCATE)')
  connection.close()
  return ids
}

function inBatches(connection: Connection, count: number, insert: (at: number) => void): void {
  for (let start = 0; start < count; start += BATCH) {
    connection.transaction(() => {
      for (let at = start; at < Math.min(count, start + BATCH); at += 1) insert(at)
    })
  }
}

interface Inserted {
  readonly id: string
  /** The counter of its kind. */
  readonly kind: string
}

function insertEntity(connection: Connection, at: number, ids: readonly string[]): Inserted {
  const id = randomUUID()
  const number = at + 1
  const type = (['task', 'decision', 'task', 'note'] as const)[at % 4] ?? 'note'
  const status = statusOf(type, at)
  const title = wordsFor(at, TITLE_WORDS)
  const content = wordsFor(at * 31 + 7, CONTENT_WORDS)
  const tag = `area-${at % 50}`
  const priority = PRIORITIES[randomBelow(at, PRIORITIES.length)] ?? 500
  const properties = {
    ...(status !== null && { status }),
    ...(type === 'task' && { priority }),
    ...(type === 'decision' && { consequences: [] }),
  }
  const time = AT + at * 1000
  const tags = JSON.stringify([tag])
  const shared = { type, status, title, tags, created_at: time, updated_at: time }
  insert(connection, 'entity', {
    id,
    number,
    content,
    properties: JSON.stringify(properties),
    created_by: BY,
    updated_by: BY,
    origin: ORIGIN,
    revision: 1,
    ...shared,
  })
  insert(connection, 'tag', { tag, entity_id: id })
  const own = { id, type, status, title, content, tags: [tag], properties }
  const indexed = toSearchDocument({ ...own, createdBy: BY, createdAt: time, updatedAt: time })
  insert(connection, 'document', {
    id: number,
    kind: 'entity',
    ref: id,
    type,
    status,
    title: '',
    body: '',
    tags: '[]',
    created_at: time,
    updated_at: time,
    text_hash: hashOf(indexed),
    position: number,
  })
  const stems = (text: string) => text.split(' ').map(stemOf)
  const facets = ['§all', facet('type', type), facet('tag', tag)]
  if (status !== null) facets.push(facet('status', status))
  insert(connection, 'document_term', {
    rowid: number,
    title: `${stems(title).join(' ')} · ${stems(title).map(titleTerm).join(' ')}`,
    body: stems(content).join(' '),
    tags: `area ${at % 50} · area${at % 50}`,
    facets: facets.join(' '),
  })
  const fields = { type, number, title, created_at: time, created_by: BY, origin: ORIGIN }
  insertOp(connection, { id, time, change: { fields, content, tags: [tag], properties } })
  if (type === 'task')
    insertTask(connection, { id, number, at, status: status ?? '', priority, tag, ids })
  return { id, kind: counterOf({ type, status }) }
}

interface Op {
  readonly id: string
  readonly time: number
  readonly change: EntityChange
}

function insertOp(connection: Connection, { id, time, change }: Op): void {
  insert(connection, 'op', {
    entity_id: id,
    at: time,
    by: BY,
    change: toStoredChange(change, { at: time, by: BY }),
  })
}

function statusOf(type: string, at: number): string | null {
  if (type === 'decision') return 'accepted'
  if (type !== 'task') return null
  return at % 3 === 0 ? 'done' : 'todo'
}

interface Task {
  readonly id: string
  readonly number: number
  readonly at: number
  readonly status: string
  readonly priority: number
  readonly tag: string
  readonly ids: readonly string[]
}

function insertTask(connection: Connection, task: Task): void {
  const { id, number, at, status, priority, tag, ids } = task
  const closed = Number(status === 'done')
  // The task before the previous entity.
  const blocker = at % 5 === 0 ? ids[at - 2] : undefined
  const blocked = Number(blocker !== undefined && (at - 2) % 3 !== 0)
  const due = '9999-99-99'
  const row = { id, number, priority, rank: 0, due, closed, resolved: closed, blocked }
  insert(connection, 'task', { ...row, status })
  insert(connection, 'task_facet', { ...row, facet: 'label', value: tag })
  if (blocker === undefined) return
  const time = AT + at * 1000
  insert(connection, 'relation', {
    source_id: blocker,
    type: 'blocks',
    target_id: id,
    properties: '{}',
    created_at: time,
    created_by: BY,
  })
  const value = { created_at: time, created_by: BY, properties: {} }
  insertOp(connection, { id: blocker, time, change: { relations: { [`blocks ${id}`]: value } } })
}

/** First that each was created, then what became of them. */
function insertEvent(connection: Connection, at: number, ids: readonly string[]): void {
  const of = at % ids.length
  const revision = 1 + Math.floor(at / ids.length)
  const type = LATER_EVENTS[revision - 2] ?? 'entity.created'
  const title = wordsFor(of, TITLE_WORDS)
  const data = { type: 'task', number: of + 1, title, revision, status: 'todo' }
  insert(connection, 'event', {
    id: at + 1,
    type: toStoredType(type),
    subject: toStoredSubject(ids[of] ?? ''),
    at: AT + at * 1000,
    agent: BY,
    data: toStoredData(data, AGENT_ID),
  })
}

type Value = string | number | null

function insert(connection: Connection, table: string, row: Readonly<Record<string, Value>>): void {
  const names = Object.keys(row)
  const marks = names.map(() => '?').join(', ')
  const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`
  connection.run(sql, ...Object.values(row))
}
