import pg from 'pg'
import { schemaOf } from '../../packages/waymark/src/core/postgres/schema/schema.ts'
import { fromStoredSubject, fromStoredType } from '../../packages/waymark/src/event/event-record.ts'
import type { Ledger } from './worker.ts'

export interface Kept {
  readonly lost: number
  readonly doubleClaims: number
  readonly gaps: number
  readonly lastEvent: number
  readonly example: string | undefined
}

interface EventRow {
  readonly id: string
  readonly type: string
  readonly subject: string
  readonly fence: string | null
}

/** Compares what clients were told with what the database holds in the end. */
export async function judge(url: string, projectId: string, ledger: Ledger): Promise<Kept> {
  const schema = schemaOf(projectId)
  const client = new pg.Client(url)
  await client.connect()
  try {
    const tasks = await client.query<{ id: string; status: string }>(
      `SELECT id, status FROM "${schema}".entity WHERE type = 'task'`,
    )
    const events = await client.query<EventRow>(
      `SELECT id, type, subject, data::json ->> 'fence' AS fence FROM "${schema}".event ORDER BY id`,
    )
    // Types and ids are stored in a short form.
    const told = events.rows.map((row) => ({
      ...row,
      type: fromStoredType(row.type),
      subject: fromStoredSubject(row.subject),
    }))
    const lost = findLost(ledger, new Map(tasks.rows.map(({ id, status }) => [id, status])))
    lost.push(...findLostClaims(ledger, told))
    const doubled = findDoubleClaims(told)
    const gaps = events.rows.filter(({ id }, at) => Number(id) !== at + 1).length
    return {
      lost: lost.length,
      doubleClaims: doubled.length,
      gaps,
      lastEvent: Number(events.rows.at(-1)?.id ?? 0),
      example: [...lost, ...doubled][0],
    }
  } finally {
    await client.end()
  }
}

function findLost(ledger: Ledger, statusById: ReadonlyMap<string, string>): string[] {
  const lost = [...ledger.created].filter((id) => !statusById.has(id))
  const undone = [...ledger.completed.keys()].filter((id) => statusById.get(id) !== 'done')
  return [
    ...lost.map((id) => `task ${id} was created, and is not there`),
    ...undone.map((id) => `task ${id} was completed, and is ${statusById.get(id)}`),
  ]
}

function findLostClaims(ledger: Ledger, events: readonly EventRow[]): string[] {
  const kept = new Set(
    events
      .filter(({ type }) => type === 'task.claimed')
      .map(({ subject, fence }) => `${subject} ${fence}`),
  )
  return ledger.claims
    .filter(({ task, fence }) => !kept.has(`${task} ${fence}`))
    .map(({ task, fence }) => `task ${task} was claimed with ${fence}, and no event says so`)
}

const ENDS: ReadonlySet<string> = new Set(['task.released', 'task.done'])

/** In the order of the events, a task that was claimed is released or done before it is claimed again. */
function findDoubleClaims(events: readonly EventRow[]): string[] {
  const held = new Set<string>()
  const doubled: string[] = []
  for (const { type, subject } of events) {
    if (ENDS.has(type)) held.delete(subject)
    if (type !== 'task.claimed') continue
    if (held.has(subject)) doubled.push(`task ${subject} was claimed while it was held`)
    held.add(subject)
  }
  return doubled
}
