import { en } from '../../text/en.ts'
import { Reason } from './reason.tsx'
import type { Region } from './source-page.tsx'

interface Props {
  readonly regions: readonly Region[]
  readonly current: number | undefined
  readonly again: () => void
}

/** Reasons at the height of their lines, pushed apart where they would overlap. */
export function Reasons({ regions, current, again }: Props) {
  return (
    <ol class="reasons" aria-label={en.code.reasons(regions.length)}>
      {regions.map((region, index) => (
        <li
          key={`${region.record} ${region.lines?.start ?? ''}`}
          class={index === current ? 'current' : ''}
        >
          <Reason region={region} again={again} />
        </li>
      ))}
    </ol>
  )
}
