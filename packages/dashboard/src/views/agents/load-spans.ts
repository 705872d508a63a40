import { call } from '../../data/call.ts'
import { now } from '../../data/clock.ts'
import { taskOf } from '../../data/tasks.ts'
import { type LaneEvent, type Span, toSpans } from '../../draw/span.ts'

const TYPES = [
  'task.claimed',
  'task.released',
  'task.done',
  'task.completed',
  'task.cancelled',
  'task.taken_back',
  'task.parked',
  'lease.ended',
  'lease.expired',
]
const PAGE = 1000
const MOST_PAGES = 50

/** Leases since a time, from the events that opened and closed them. */
export async function loadSpans(since: number, signal: AbortSignal): Promise<readonly Span[]> {
  const events: LaneEvent[] = []
  let cursor = 0
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answer = await call(
      'event.list',
      {
        types: TYPES,
        limit: PAGE,
        since: cursor,
        ...(since > 0 && { since_time: new Date(since).toISOString() }),
      },
      { signal },
    )
    for (const { type, at, agent, subject, data } of answer.events) {
      const facts = data as {
        readonly number?: number
        readonly title?: string
        readonly task?: number
      }
      const task = taskOf(subject)
      const number = facts.number ?? task?.number
      if (number !== undefined)
        events.push({
          type,
          at: Date.parse(at),
          agent,
          task: number,
          title: facts.title ?? task?.title ?? '',
        })
    }
    if (answer.events.length < PAGE) break
    cursor = answer.next_cursor
  }
  return toSpans(events, now.peek())
}
