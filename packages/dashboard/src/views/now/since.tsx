import { en } from '../../text/en.ts'
import { call } from '../../data/call.ts'
import { lastVisit } from '../../data/last-visit.ts'
import { now } from '../../data/live/clock.ts'
import { formatClock, formatDuration } from '../../parts/time.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { toAddress } from '../../shell/router.ts'
import { formatNumber } from '../../text/plural.ts'
import { sinceWords } from '../../text/view/since.ts'

const DAY = 86_400_000
const LONGEST = 90 * DAY

/** What happened since the person last looked, or today; each figure leads to its events. */
export function Since() {
  const from = lastVisit ?? startOfDay(now.peek())
  const loaded = useLoad((signal) => loadCounts(from, signal), String(from), {
    when: (type) => type === '*' || COUNTED.has(type),
  })
  if (loaded.state !== 'ready') return null
  const counts = [...COUNTED].filter((type) => (loaded.value.get(type) ?? 0) > 0)
  return (
    <section class="panel" aria-labelledby="since">
      <header>
        <h2 id="since">
          {lastVisit === undefined ? sinceWords.today : sinceWords.visit(describe(lastVisit))}
        </h2>
      </header>
      {counts.length === 0 && <p class="empty">{sinceWords.nothing}</p>}
      <ul class="since">
        {counts.map((type) => (
          <li key={type}>
            <a href={toAddress('activity', '', { q: type })}>
              <strong>{formatNumber(loaded.value.get(type) ?? 0)}</strong>{' '}
              {sinceWords.what[type as keyof typeof sinceWords.what]}
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** In the order in which they are shown. */
const COUNTED: ReadonlySet<string> = new Set(Object.keys(sinceWords.what))

async function loadCounts(from: number, signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
  const begin = Math.max(from, now.peek() - LONGEST)
  const bucket = Math.max(1, Math.ceil((now.peek() - begin) / 1000))
  const { buckets } = await call(
    'event.counts',
    { from: new Date(begin).toISOString(), bucket, by: 'type' },
    { signal },
  )
  const counts = new Map<string, number>()
  for (const [, type, count] of buckets)
    if (type !== null) counts.set(type, (counts.get(type) ?? 0) + count)
  return counts
}

function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0)
}

function describe(at: number): string {
  return `${formatClock(at)}, ${en.time.ago(formatDuration(now.peek() - at))}`
}
