import type { End } from '../../draw/span.ts'
import { en } from '../../text/en.ts'

const ENDS = [
  'done',
  'released',
  'expired',
  'taken_back',
  'moved',
  'cancelled',
  'held',
] as const satisfies readonly End[]

export function Legend() {
  return (
    <p class="legend">
      <span class="muted" title={en.lanes.hint}>
        {en.lanes.legend}
      </span>
      {ENDS.map((end) => (
        <span key={end}>
          <i class={`swatch ${end}`} aria-hidden="true" /> {en.lanes.ends[end]}
        </span>
      ))}
      <span>
        <i class="swatch message" aria-hidden="true" /> {en.lanes.message}
      </span>
      <span>
        <span aria-hidden="true">⤵</span> {en.lanes.handover}
      </span>
    </p>
  )
}
