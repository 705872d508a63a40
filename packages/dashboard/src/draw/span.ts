/** How a lease ended. */
export type End = 'done' | 'released' | 'expired' | 'taken' | 'held'

/** One lease: who held which task from when to when. Times are milliseconds since 1970. */
export interface Span {
  readonly agent: string
  readonly task: number
  readonly title: string
  readonly from: number
  readonly to: number
  readonly end: End
}

export interface LaneEvent {
  readonly type: string
  readonly at: number
  readonly agent: string | undefined
  readonly task: number
  readonly title: string
}

const ENDS: Readonly<Record<string, End>> = {
  'task.done': 'done',
  'task.completed': 'done',
  'task.cancelled': 'taken',
  'task.released': 'released',
  'task.taken_back': 'taken',
  'lease.ended': 'taken',
  'lease.expired': 'expired',
  'task.parked': 'expired',
}

/** Leases from events: a claim opens one, and what follows closes it. Those that are still open run until now. */
export function toSpans(events: readonly LaneEvent[], now: number): readonly Span[] {
  const spans: Span[] = []
  const open = new Map<number, LaneEvent>()
  const close = (task: number, to: number, end: End): void => {
    const begun = open.get(task)
    if (begun === undefined) return
    open.delete(task)
    spans.push({ agent: begun.agent ?? '', task, title: begun.title, from: begun.at, to, end })
  }
  for (const event of events) {
    const end = ENDS[event.type]
    if (end !== undefined) close(event.task, event.at, end)
    if (event.type !== 'task.claimed') continue
    // A claim while the last lease is still open: its end was not recorded, so the lease was lost.
    close(event.task, event.at, 'expired')
    open.set(event.task, event)
  }
  for (const task of open.keys()) close(task, now, 'held')
  return spans.toSorted((one, other) => one.from - other.from)
}
