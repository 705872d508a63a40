import type { FeedEvent } from '../../data/live/feed.ts'
import { actorOf } from './actor.ts'
import { toSentence } from './event-words.ts'
import { SubjectLink } from '../subject-link.tsx'
import { formatClock, formatExact } from '../time.tsx'

/** An event in one line: when, who, what, about which task. */
export function EventLine({ event }: { readonly event: FeedEvent }) {
  const { at } = event
  const agent = actorOf(event)
  return (
    <li class="event-line">
      <time class="muted" dateTime={new Date(at).toISOString()} title={formatExact(at)}>
        {formatClock(at)}
      </time>
      <span>
        {agent !== undefined && <strong>{agent} </strong>}
        {toSentence(event)} <SubjectLink event={event} />
      </span>
    </li>
  )
}
