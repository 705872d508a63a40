import { now } from '../data/live/clock.ts'
import type { Holder } from '../data/task/task.ts'
import { en } from '../text/en.ts'
import { formatDuration } from './time.tsx'

/** Below this a lease ends soon unless its agent renews it. */
export const SOON_MS = 120_000

/** What is left of a lease, as a bar and in words. */
export function LeaseBar({ holder: { from, until } }: { readonly holder: Holder }) {
  const left = until - now.value
  const share = until > from ? Math.max(0, Math.min(1, left / (until - from))) : 0
  const text = left <= 0 ? en.time.over : formatDuration(left)
  return (
    <span
      class={left < SOON_MS ? 'lease soon' : 'lease'}
      title={left < SOON_MS ? en.states.soon : en.time.left(text)}
    >
      <span class="lease-track" aria-hidden="true">
        <i style={{ width: `${Math.round(share * 100)}%` }} />
      </span>
      {text}
    </span>
  )
}
