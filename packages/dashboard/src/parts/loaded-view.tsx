import type { ComponentChildren } from 'preact'
import { en } from '../text/en.ts'
import type { Loaded } from './use-load.ts'

interface Props<T> {
  readonly of: Loaded<T>
  readonly children: (value: T) => ComponentChildren
}

/** What was loaded, or lines that stand for it, or why it is not there. */
export function LoadedView<T>({ of, children }: Props<T>) {
  if (of.state === 'ready') return <>{children(of.value)}</>
  if (of.state === 'loading') return <Skeleton />
  return (
    <div class="empty" role="alert">
      <p>{en.empty.failed}</p>
      <p class="muted">{of.error.message}</p>
      <p>
        <button type="button" onClick={of.again}>
          {en.empty.again}
        </button>
      </p>
    </div>
  )
}

const WIDTHS = ['62%', '88%', '74%', '91%', '53%'] as const

export function Skeleton() {
  return (
    <div class="skeleton" aria-busy="true" aria-label={en.empty.loading} role="status">
      {WIDTHS.map((width) => (
        <i key={width} style={{ width }} />
      ))}
    </div>
  )
}
