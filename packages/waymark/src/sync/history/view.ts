import * as z from 'zod'
import { time, toTime } from '../../entity/view.ts'
import type { FactChange, HistoryEntry } from './history.ts'

const LONGEST_SHOWN = 500

export const entryView = z.object({
  version: z.int().describe('1 is the first; entity.restore takes it'),
  at: time,
  by: z.string().optional(),
  changes: z.array(
    z.object({
      field: z.string(),
      from: z.unknown().optional().describe('Absent when there was nothing'),
      to: z.unknown().optional().describe('Absent when there is nothing now'),
    }),
  ),
})
export type EntryView = z.output<typeof entryView>

export function toEntryView({ version, at, by, changes }: HistoryEntry, full: boolean): EntryView {
  return {
    version,
    at: toTime(at),
    ...(by !== null && { by }),
    changes: changes.map((change) => toChangeView(change, full)),
  }
}

function toChangeView({ name, from, to }: FactChange, full: boolean) {
  const show = (value: unknown): unknown => (full ? value : shorten(value))
  return {
    field: name,
    ...(from !== undefined && { from: show(from) }),
    ...(to !== undefined && { to: show(to) }),
  }
}

function shorten(value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= LONGEST_SHOWN) return value
  return `${value.slice(0, LONGEST_SHOWN).toWellFormed()}… (${value.length} characters)`
}
