import { useState } from 'preact/hooks'
import type { FeedEvent } from '../../data/live/feed.ts'
import { actorOf } from '../../parts/event/actor.ts'
import { toSentence } from '../../parts/event/event-words.ts'
import { SubjectLink } from '../../parts/subject-link.tsx'
import { formatClock, formatExact } from '../../parts/time.tsx'
import { Who } from '../../parts/agent/who.tsx'
import { activityWords } from '../../text/view/activity.ts'
import { EntityChanges } from './entity-changes.tsx'

/** One event; a change of an entity opens to what it changed. */
export function EventRow({ event }: { readonly event: FeedEvent }) {
  const [isOpen, setOpen] = useState(false)
  const { at, type, subject } = event
  const agent = actorOf(event)
  const canOpen = subject !== undefined && /^(?:entity|task|relation)\./.test(type)
  return (
    <li>
      <div class="row">
        <time
          class="muted event-time"
          dateTime={new Date(at).toISOString()}
          title={formatExact(at)}
        >
          {formatClock(at)}
        </time>
        {agent !== undefined && <Who name={agent} />}
        <span class="grow">
          {toSentence(event)} <SubjectLink event={event} />
        </span>
        <span class="muted mono">{event.id}</span>
        {canOpen && (
          <button
            type="button"
            class="plain"
            aria-expanded={isOpen}
            aria-keyshortcuts="e"
            onClick={() => setOpen(!isOpen)}
          >
            {activityWords.show}
          </button>
        )}
      </div>
      {isOpen && subject !== undefined && <EntityChanges id={subject} at={at} />}
    </li>
  )
}
