import { useState } from 'preact/hooks'
import { call } from '../../data/call.ts'
import { feed, type FeedEvent } from '../../data/live/feed.ts'
import { toFeedEvent } from '../../data/live/live.ts'
import { isNoise, toSentence } from '../../parts/event/event-words.ts'
import { taskOf } from '../../data/task/tasks.ts'
import { useKeys } from '../../shell/keys/use-keys.ts'
import { route, setQuery } from '../../shell/router.ts'
import { activityWords } from '../../text/view/activity.ts'
import { EventRow } from './event-row.tsx'
import { UndoDialog } from './undo-dialog.tsx'

const PAGE = 200

/** Everything that happened, newest first. New events appear on top as they come. */
export function ActivityView() {
  const [older, setOlder] = useState<readonly FeedEvent[]>([])
  const [hasAll, setAll] = useState(false)
  const [isUndoing, setUndoing] = useState(false)
  useKeys([{ keys: 'Shift+u', label: activityWords.undoTitle, run: () => setUndoing(true) }])
  const { query } = route.value
  const words = (query.get('q') ?? '')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const withNoise = query.get('noise') === '1'
  const newest = feed.value
  const oldestId = older.at(-1)?.id ?? newest.at(-1)?.id ?? 0
  const all = [...newest, ...older.filter(({ id }) => id < (newest.at(-1)?.id ?? Infinity))]
  const shown = all.filter((event) => (withNoise || !isNoise(event)) && matches(event, words))
  const loadOlder = async (): Promise<void> => {
    const since = Math.max(0, oldestId - 1 - PAGE)
    const { events } = await call('event.list', {
      since,
      limit: Math.min(PAGE, Math.max(1, oldestId - 1 - since)),
    })
    const page = events.map(toFeedEvent).filter(({ id }) => id < oldestId)
    setOlder([...older, ...page.toReversed()])
    setAll(since === 0)
  }
  return (
    <div class="activity">
      <div class="filters">
        <input
          type="search"
          class="grow"
          aria-label={activityWords.filter}
          placeholder={activityWords.filter}
          value={query.get('q') ?? ''}
          onInput={({ currentTarget }) => setQuery({ q: currentTarget.value })}
        />
        <label>
          <input
            type="checkbox"
            checked={withNoise}
            onChange={({ currentTarget }) => setQuery({ noise: currentTarget.checked ? '1' : '' })}
          />{' '}
          {activityWords.noise}
        </label>
        <span class="muted" role="status">
          {activityWords.shown(shown.length)}
        </span>
        <button type="button" aria-keyshortcuts="Shift+u" onClick={() => setUndoing(true)}>
          {activityWords.undoAuthor}
        </button>
      </div>
      <ol class="panel rows events">
        {shown.map((event) => (
          <EventRow key={event.id} event={event} />
        ))}
        {shown.length === 0 && <li class="empty">{activityWords.nothing}</li>}
      </ol>
      {hasAll || oldestId <= 1 ? (
        <p class="muted">{activityWords.allLoaded}</p>
      ) : (
        <button type="button" onClick={() => void loadOlder()}>
          {activityWords.older}
        </button>
      )}
      {isUndoing && <UndoDialog onClose={() => setUndoing(false)} />}
    </div>
  )
}

function matches(event: FeedEvent, words: readonly string[]): boolean {
  if (words.length === 0) return true
  const task = event.subject === undefined ? undefined : taskOf(event.subject)
  const text = [
    event.agent,
    event.type,
    toSentence(event),
    event.title,
    task?.title,
    task && `#${task.number}`,
  ]
    .join(' ')
    .toLowerCase()
  return words.every((word) => text.includes(word))
}
