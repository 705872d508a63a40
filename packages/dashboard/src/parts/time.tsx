import { now } from '../data/live/clock.ts'
import { en } from '../text/en.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A length of time in one unit: `12 min`, `3 h`, `4 d`. */
export function formatDuration(milliseconds: number): string {
  const length = Math.abs(milliseconds)
  if (length < MINUTE) return `${Math.round(length / 1000)} s`
  if (length < HOUR) return `${Math.round(length / MINUTE)} min`
  if (length < 2 * DAY) return `${Math.round(length / HOUR)} h`
  return `${Math.round(length / DAY)} d`
}

const exact = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })
const clock = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})
const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric' })

export function formatExact(at: number): string {
  return Number.isFinite(at) ? exact.format(at) : ''
}

/** The time of day, or the day when it is an earlier one. */
export function formatClock(at: number): string {
  if (!Number.isFinite(at)) return ''
  return Math.abs(now.peek() - at) < DAY / 2 ? clock.format(at) : day.format(at)
}

/** How long ago something was; the exact time is its tooltip. */
export function Ago({ at }: { readonly at: number }) {
  if (!Number.isFinite(at)) return null
  const since = now.value - at
  const text = since < 5000 ? en.time.now : en.time.ago(formatDuration(since))
  return (
    <time dateTime={new Date(at).toISOString()} title={formatExact(at)} class="muted">
      {text}
    </time>
  )
}
