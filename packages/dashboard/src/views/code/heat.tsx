import { codeWords } from '../../text/view/code.ts'
import type { Counts, Freshness } from './tree.ts'

const ORDER: readonly Freshness[] = ['fresh', 'moved', 'drifted', 'orphaned', 'unknown']

/** A strip: how much of what was written still holds. The words are its tooltip and its name. */
export function Heat({ counts }: { readonly counts: Counts }) {
  const parts = ORDER.flatMap((state) => {
    const count = counts[state] ?? 0
    return count === 0 ? [] : [{ state, count }]
  })
  const words = parts.map(({ state, count }) => `${count} ${codeWords[state]}`).join(', ')
  return (
    <span class="heat" role="img" aria-label={words} title={words}>
      {parts.map(({ state, count }) => (
        <i key={state} class={state} style={{ flexGrow: count }} />
      ))}
    </span>
  )
}
