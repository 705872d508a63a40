import { boardAt } from '../../draw/board-at.ts'
import type { Span } from '../../draw/span.ts'
import { Who } from '../../parts/agent/who.tsx'
import { TaskLink } from '../../parts/text/text-link.tsx'
import { formatExact } from '../../parts/time.tsx'
import { lanesWords } from '../../text/view/lanes.ts'
import { formatNumber } from '../../text/plural.ts'

const MOST_CARDS = 8

interface Props {
  readonly spans: readonly Span[]
  readonly at: number
}

/** The tasks that were worked on, in the columns in which they were at a moment. */
export function MomentBoard({ spans, at }: Props) {
  const { held, back, done } = boardAt(spans, at)
  return (
    <section class="moment-board" aria-label={lanesWords.board(formatExact(at))}>
      <h2>{lanesWords.board(formatExact(at))}</h2>
      <div class="moment-columns">
        <Column heading={lanesWords.boardBack} spans={back} />
        <Column heading={lanesWords.boardHeld} spans={held} />
        <Column heading={lanesWords.boardDone} spans={done} />
      </div>
    </section>
  )
}

function Column({ heading, spans }: { readonly heading: string; readonly spans: readonly Span[] }) {
  return (
    <section>
      <h3>
        {heading} <span class="muted">{formatNumber(spans.length)}</span>
      </h3>
      <ul class="rows">
        {spans.slice(0, MOST_CARDS).map((span) => (
          <li key={span.task} class="row">
            <span class="grow clip">
              <TaskLink number={span.task} title={span.title} />
            </span>
            <Who name={span.agent} />
          </li>
        ))}
        {spans.length === 0 && <li class="row muted">{lanesWords.boardNone}</li>}
        {spans.length > MOST_CARDS && (
          <li class="row muted">{lanesWords.boardMore(spans.length - MOST_CARDS)}</li>
        )}
      </ul>
    </section>
  )
}
