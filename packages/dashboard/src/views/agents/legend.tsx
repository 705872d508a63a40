import type { End } from '../../draw/span.ts'
import { lanesWords } from '../../text/view/lanes.ts'

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
      <span class="muted" title={lanesWords.hint}>
        {lanesWords.legend}
      </span>
      {ENDS.map((end) => (
        <span key={end}>
          <i class={`swatch ${end}`} aria-hidden="true" /> {lanesWords.ends[end]}
        </span>
      ))}
      <span>
        <i class="swatch message" aria-hidden="true" /> {lanesWords.message}
      </span>
      <span>
        <span aria-hidden="true">⤵</span> {lanesWords.handover}
      </span>
    </p>
  )
}
