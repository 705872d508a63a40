import { ActButtons } from '../../parts/act-buttons.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { TaskLink } from '../../parts/text/text-link.tsx'

interface Props {
  readonly number: number
  readonly title: string
  readonly state: 'to_verify' | 'parked'
  readonly why: string
  readonly acts: readonly string[]
}

/** A task that waits for a person, with what the person can do about it. */
export function TaskNeed({ number, title, state, why, acts }: Props) {
  return (
    <li class="need">
      <div class="row">
        <StateMark state={state} shapeOnly />
        <span class="grow">
          <TaskLink number={number} title={title} />
          {why !== '' && <span class="muted"> · {why}</span>}
        </span>
        <ActButtons number={number} acts={acts} />
      </div>
    </li>
  )
}
