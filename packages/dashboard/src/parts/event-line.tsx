import type { FeedEvent } from '../data/feed.ts'
import { taskAt } from '../data/tasks.ts'
import { toAddress } from '../shell/router.ts'
import { toSentence } from './event-words.ts'
import { formatClock, formatExact } from './time.tsx'

/** An event in one line: when, who, what, about which task. */
export function EventLine({ event }: { readonly event: FeedEvent }) {
  const { at, agent, subject, title } = event
  const isNumber = subject !== undefined && /^\d+$/.test(subject)
  const about = isNumber ? (taskAt(Number(subject))?.title ?? title) : title
  return (
    <li class="event-line">
      <time class="muted" dateTime={new Date(at).toISOString()} title={formatExact(at)}>
        {formatClock(at)}
      </time>
      <span>
        {agent !== undefined && <strong>{agent} </strong>}
        {toSentence(event)}{' '}
        {isNumber && (
          <a href={toAddress('t', subject)} title={about}>
            #{subject}
          </a>
        )}{' '}
        <span class="muted">{about}</span>
      </span>
    </li>
  )
}
