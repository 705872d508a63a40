import { signal } from '@preact/signals'

/** One event as the stream sends it. */
export interface FeedEvent {
  readonly id: number
  readonly type: string
  readonly at: number
  readonly agentId: string | undefined
  readonly agent: string | undefined
  /** The number of the entity, or the id of what else it is about. */
  readonly subject: string | undefined
  readonly title: string | undefined
}

/** Older events come from `event.list`; what is kept here never grows. */
const LIMIT = 500

/** The latest events, newest first. */
export const feed = signal<readonly FeedEvent[]>([])

export function pushEvents(events: readonly FeedEvent[]): void {
  const newest = feed.peek()[0]?.id ?? 0
  const fresh = events.filter(({ id }) => id > newest).toReversed()
  if (fresh.length > 0) feed.value = [...fresh, ...feed.peek()].slice(0, LIMIT)
}

export function setFeed(events: readonly FeedEvent[]): void {
  feed.value = events.toSorted((one, other) => other.id - one.id).slice(0, LIMIT)
}
