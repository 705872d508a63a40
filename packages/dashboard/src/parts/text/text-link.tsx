import { toAddress } from '../../shell/router.ts'

interface Props {
  readonly number: number
  readonly title?: string | undefined
}

/** `#61 Title`, leading to the task. */
export function TaskLink(props: Props) {
  return <NumberLink first="t" {...props} />
}

/** `#12 Title`, leading to what is known. */
export function EntityLink(props: Props) {
  return <NumberLink first="k" {...props} />
}

function NumberLink({ first, number, title }: Props & { readonly first: string }) {
  return (
    <a
      href={toAddress(first, number)}
      class="title-link"
      data-task={first === 't' ? number : undefined}
    >
      <span class="number">#{number}</span>
      {title !== undefined && ` ${title}`}
    </a>
  )
}
