import { groupBy } from '../data/task/group-by.ts'
import type { MessageDot, Span } from './span.ts'
import type { Scale } from './squeeze.ts'

export type LaneBy = 'agent' | 'task'

/** One agent, or one task, with as many rows as it has leases at once. */
export interface Lane {
  readonly key: string
  readonly name: string
  readonly spans: readonly Span[]
  /** The first row and how many there are. */
  readonly row: number
  readonly rows: number
}

/** A lease where it is drawn: its row, and begin and end on the squeezed scale. */
export interface Bar {
  readonly span: Span
  readonly row: number
  readonly from: number
  readonly to: number
  readonly ticks: readonly number[]
  readonly label: string
}

interface Dot {
  readonly message: MessageDot
  readonly row: number
  readonly at: number
}

export interface LaneModel {
  readonly lanes: readonly Lane[]
  readonly rows: number
  readonly bars: readonly Bar[]
  /** The same by row, in the order of their times; those of one row do not overlap. */
  readonly barsByRow: readonly (readonly Bar[])[]
  /** From the lease of one agent to that of the agent which took the task up next. */
  readonly handovers: readonly (readonly [Bar, Bar])[]
  readonly dots: readonly Dot[]
  /** How many lanes are left out. */
  readonly hidden: number
  readonly scale: Scale
}

/** More lanes than this are no picture; the table has all of them. */
const MOST_LANES = 200

/** Everything that a frame needs and that does not change with the camera. */
export function toLaneModel(
  spans: readonly Span[],
  messages: readonly MessageDot[],
  scale: Scale,
  by: LaneBy,
): LaneModel {
  const keyOf = by === 'agent' ? (span: Span) => span.agentId : (span: Span) => String(span.task)
  const groups = [...groupBy(spans, keyOf)]
  const shown = groups.slice(Math.max(0, by === 'task' ? groups.length - MOST_LANES : 0))
  const lanes: Lane[] = []
  const bars: Bar[] = []
  let row = 0
  for (const [key, own] of shown.slice(0, MOST_LANES)) {
    const stacked = stack(own)
    const rows = 1 + Math.max(...stacked)
    for (const [index, span] of own.entries())
      bars.push(toBar(span, row + (stacked[index] ?? 0), scale, by))
    const [first] = own
    const name = by === 'agent' ? (first?.agent ?? key) : `#${key} ${first?.title ?? ''}`
    lanes.push({ key, name, spans: own, row, rows })
    row += rows
  }
  const rowOf = new Map(lanes.map((lane) => [lane.key, lane.row]))
  const dots = messages.flatMap((message): readonly Dot[] => {
    const at = rowOf.get(by === 'agent' ? message.agentId : String(message.task))
    return at === undefined ? [] : [{ message, row: at, at: scale.place(message.at) }]
  })
  const hidden = groups.length - lanes.length
  const handovers = by === 'agent' ? toHandovers(bars) : []
  return { lanes, rows: row, bars, barsByRow: toRows(bars, row), handovers, dots, hidden, scale }
}

function toRows(bars: readonly Bar[], count: number): readonly (readonly Bar[])[] {
  const rows = Array.from({ length: count }, (): Bar[] => [])
  for (const bar of bars) rows[bar.row]?.push(bar)
  return rows
}

function toBar(span: Span, row: number, scale: Scale, by: LaneBy): Bar {
  return {
    span,
    row,
    from: scale.place(span.from),
    to: scale.place(span.to),
    ticks: span.renewals.map(scale.place),
    label: by === 'agent' ? `#${span.task} ${span.title}` : span.agent,
  }
}

/** Leases that are held at once get rows of their own; of each the row inside its lane. */
function stack(spans: readonly Span[]): readonly number[] {
  const ends: number[] = []
  return spans.map(({ from, to }) => {
    const free = ends.findIndex((end) => end <= from)
    const row = free === -1 ? ends.length : free
    ends[row] = to
    return row
  })
}

function toHandovers(bars: readonly Bar[]): readonly (readonly [Bar, Bar])[] {
  const sorted = bars.toSorted((one, other) => one.span.from - other.span.from)
  const last = new Map<number, Bar>()
  return sorted.flatMap((bar): readonly (readonly [Bar, Bar])[] => {
    const before = last.get(bar.span.task)
    last.set(bar.span.task, bar)
    if (before === undefined || before.span.agentId === bar.span.agentId) return []
    // Finished work that is opened again was not handed over.
    if (before.span.end === 'done' || before.span.end === 'cancelled') return []
    return [[before, bar]]
  })
}
