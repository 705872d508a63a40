import { codeWords } from '../../text/view/code.ts'
import { Reason } from './reason.tsx'
import type { Region } from '../../acts/reason-acts.ts'

interface Props {
  readonly regions: readonly Region[]
  readonly current: number | undefined
  /** Only what is said of the code of today can be acted on. */
  readonly isToday: boolean
  readonly again: () => void
}

/** With more drifted reasons than this, their changes are opened one by one. */
const DRIFTS_SHOWN = 3

/** Reasons at the height of their lines, pushed apart where they would overlap. */
export function Reasons({ regions, current, isToday, again }: Props) {
  const drifted = regions.filter(({ freshness: { state } }) => state === 'drifted')
  const showsDrift = drifted.length <= DRIFTS_SHOWN
  return (
    <ol class="reasons" aria-label={codeWords.reasons(regions.length)}>
      {regions.map((region, index) => (
        <li
          key={`${region.record} ${region.lines?.start ?? ''}`}
          class={index === current ? 'current' : ''}
        >
          <Reason
            region={region}
            isCurrent={index === current}
            isToday={isToday}
            showsDrift={showsDrift && region.freshness.state === 'drifted'}
            again={again}
          />
        </li>
      ))}
    </ol>
  )
}
