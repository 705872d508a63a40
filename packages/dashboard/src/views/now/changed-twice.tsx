import { TaskLink } from '../../parts/text/text-link.tsx'
import { en } from '../../text/en.ts'

interface Props {
  readonly number: number
  readonly title: string
  readonly fields: readonly string[]
}

/** Two clones changed the same field; one of the values has to be chosen. */
export function ChangedTwice({ number, title, fields }: Props) {
  return (
    <li class="need row">
      <span class="mark warn" aria-hidden="true">
        ⑂
      </span>
      <span class="grow">
        <TaskLink number={number} title={title} />
        <span class="muted"> · {en.now.changedTwice(fields.join(', '))}</span>
      </span>
    </li>
  )
}
