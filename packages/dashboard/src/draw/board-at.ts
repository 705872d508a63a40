import type { Span } from './span.ts'

/** The last lease of each task that had begun by then says where the task was; the newest first. */
export function boardAt(spans: readonly Span[], at: number) {
  const last = new Map<number, Span>()
  for (const span of spans) {
    if (span.from > at) continue
    last.delete(span.task)
    last.set(span.task, span)
  }
  const begun = [...last.values()].toReversed()
  const isHeld = ({ to, end }: Span): boolean => to > at || end === 'held'
  const isClosed = ({ end }: Span): boolean => end === 'done' || end === 'cancelled'
  return {
    held: begun.filter(isHeld),
    back: begun.filter((span) => !isHeld(span) && !isClosed(span)),
    done: begun.filter((span) => !isHeld(span) && isClosed(span)),
  }
}
