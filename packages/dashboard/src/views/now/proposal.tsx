import { EntityButtons } from '../../parts/entity-buttons.tsx'
import { EntityLink } from '../../parts/text/text-link.tsx'
import { en } from '../../text/en.ts'

interface Props {
  readonly number: number
  readonly title: string
  readonly by: string | undefined
}

/** A decision that an agent proposes and a person has not accepted yet. */
export function Proposal({ number, title, by }: Props) {
  return (
    <li class="need">
      <div class="row">
        <span class="mark info" aria-hidden="true">
          ?
        </span>
        <span class="grow">
          <EntityLink number={number} title={title} />
          <span class="muted"> · {en.now.proposed(by)}</span>
        </span>
        <EntityButtons
          number={number}
          type="decision"
          status="proposed"
          only={['accept', 'reject']}
        />
      </div>
    </li>
  )
}
