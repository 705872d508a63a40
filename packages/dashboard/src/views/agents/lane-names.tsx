import { agents } from '../../data/agents.ts'
import type { Lane, LaneBy } from '../../draw/lane-model.ts'
import { ROW } from '../../draw/lanes.ts'
import type { Span } from '../../draw/span.ts'
import { nameOf } from '../../parts/agent/agent-order.ts'
import { Initials } from '../../parts/agent/who.tsx'
import { formatDuration } from '../../parts/time.tsx'
import { toAddress } from '../../shell/router.ts'
import { lanesWords } from '../../text/view/lanes.ts'

interface Props {
  readonly lanes: readonly Lane[]
  readonly by: LaneBy
}

/** Whose lane it is, and how the leases in it ended. */
export function LaneNames({ lanes, by }: Props) {
  return (
    <ul class="lane-names">
      {lanes.map(({ key, name, spans, rows }) => (
        <li key={key} style={{ height: `${rows * ROW}px` }} title={titleOf(key, name, spans)}>
          <a
            class="title-link clip"
            href={by === 'agent' ? toAddress('agents', name) : toAddress('t', key)}
          >
            {by === 'agent' && <Initials name={name} />} {name}
          </a>
          <LaneFigures spans={spans} />
        </li>
      ))}
    </ul>
  )
}

function LaneFigures({ spans }: { readonly spans: readonly Span[] }) {
  const done = spans.filter(({ end }) => end === 'done').length
  const lost = spans.filter(({ end }) => end === 'expired').length
  return (
    <span class="muted lane-figures">
      {lanesWords.doneCount(done)}
      {lost > 0 && (
        <>
          {' '}
          <span class="mark bad">{lanesWords.lostCount(lost)}</span>
        </>
      )}
    </span>
  )
}

function titleOf(key: string, name: string, spans: readonly Span[]): string {
  const agent = agents.value.find((one) => one.id === key || nameOf(one) === name)
  const lengths = spans.map(({ from, to }) => to - from).toSorted((one, other) => one - other)
  const median = lengths[Math.floor(lengths.length / 2)] ?? 0
  return [name, agent?.client, agent?.model, lanesWords.median(formatDuration(median))]
    .filter((text) => text !== undefined)
    .join(' · ')
}
