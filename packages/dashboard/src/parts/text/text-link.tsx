import { toAddress } from '../../shell/router.ts'

/** `#61 Title`, leading to the task or entity. */
export function TaskLink({
  number,
  title,
}: {
  readonly number: number
  readonly title?: string | undefined
}) {
  return (
    <a href={toAddress('t', number)} class="title-link">
      <span class="number">#{number}</span>
      {title !== undefined && ` ${title}`}
    </a>
  )
}
