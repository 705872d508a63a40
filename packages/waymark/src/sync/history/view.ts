import * as z from 'zod'
import type { ReadContext } from '../../core/context.ts'
import { time, toTime } from '../../entity/view.ts'
import type { FactChange, HistoryEntry } from './history.ts'
import { toTarget } from './undo-uses.ts'

const LONGEST_SHOWN = 500

export const changeView = z.object({
  field: z.string(),
  target: z
    .object({ number: z.int(), title: z.string() })
    .optional()
    .describe('Of a relation, if it still exists'),
  from: z.unknown().optional().describe('Absent when there was nothing'),
  to: z.unknown().optional().describe('Absent when there is nothing now'),
})

export const entryView = z.object({
  version: z.int().describe('1 is the first; entity.restore and history.revert take it'),
  at: time,
  by: z.string().optional(),
  changes: z.array(changeView),
})
export type EntryView = z.output<typeof entryView>

interface Options {
  readonly store: ReadContext['store']
  /** Long texts too. */
  readonly full: boolean
}

export async function toEntryView(
  { version, at, by, changes }: HistoryEntry,
  options: Options,
): Promise<EntryView> {
  return {
    version,
    at: toTime(at),
    ...(by !== null && { by }),
    changes: await toChangeViews(changes, options),
  }
}

export async function toChangeViews(
  changes: readonly FactChange[],
  options: Options,
): Promise<z.output<typeof changeView>[]> {
  return await Promise.all(changes.map((change) => toChangeView(change, options)))
}

async function toChangeView({ name, from, to }: FactChange, { store, full }: Options) {
  const end = toTarget(name)
  const target = end && (await store.entities.byId(end.targetId))
  const show = (value: unknown): unknown => (full ? value : shorten(value))
  return {
    field: name,
    ...(target !== undefined && { target: { number: target.number, title: target.title } }),
    ...(from !== undefined && { from: show(from) }),
    ...(to !== undefined && { to: show(to) }),
  }
}

function shorten(value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= LONGEST_SHOWN) return value
  return `${value.slice(0, LONGEST_SHOWN).toWellFormed()}… (${value.length} characters)`
}
