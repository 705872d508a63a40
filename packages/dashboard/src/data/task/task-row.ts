import type { Column, Holder, Task } from './task.ts'

/** Values of one row, in the order of the columns that came with it. */
export type Row = readonly unknown[]

/** Makes tasks of rows. Columns are found by name, so a server may send more of them, in any order. */
export function toTask(columns: readonly string[], row: Row): Task {
  const value = (name: string): unknown => {
    const index = columns.indexOf(name)
    return index < 0 ? undefined : (row[index] ?? undefined)
  }
  return {
    number: Number(value('number')),
    id: toText(value('id')),
    title: toText(value('title')),
    status: toText(value('status')),
    column: value('column') as Column | undefined,
    priority: Number(value('priority') ?? 500),
    rank: Number(value('rank') ?? 0),
    updatedAt: toTime(value('updated_at')) ?? 0,
    labels: (value('labels') as readonly string[] | undefined) ?? [],
    assignee: value('assignee') as string | undefined,
    due: value('due_date') as string | undefined,
    deferUntil: toTime(value('defer_until')),
    parent: value('parent') as number | undefined,
    holder: toHolder(value),
    waitsFor: (value('waits_for') as readonly number[] | undefined) ?? [],
    parts: toParts(value),
    questions: Number(value('questions') ?? 0),
    isParked: Boolean(value('parked')),
    revision: value('revision') as number | undefined,
  }
}

function toHolder(value: (name: string) => unknown): Holder | undefined {
  const id = value('holder_id') as string | undefined
  if (id === undefined) return undefined
  const until = toTime(value('lease_until')) ?? 0
  return {
    id,
    name: toText(value('holder')) || id.slice(0, 8),
    from: toTime(value('lease_from')) ?? until,
    until,
  }
}

function toParts(value: (name: string) => unknown): readonly [number, number] | undefined {
  const all = Number(value('parts') ?? 0)
  return all === 0 ? undefined : [Number(value('parts_closed') ?? 0), all]
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Rows may hold times as milliseconds or as text. */
function toTime(value: unknown): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' ? Date.parse(value) : undefined
}
