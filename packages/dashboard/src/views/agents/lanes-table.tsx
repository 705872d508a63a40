import type { Span } from '../../draw/span.ts'
import { TaskLink } from '../../parts/text/text-link.tsx'
import { formatDuration, formatExact } from '../../parts/time.tsx'
import { lanesWords } from '../../text/view/lanes.ts'

/** The same leases as rows, for screen readers, tests and print. */
export function LanesTable({ spans }: { readonly spans: readonly Span[] }) {
  return (
    <table class="table">
      <thead>
        <tr>
          <th>{lanesWords.agent}</th>
          <th>{lanesWords.task}</th>
          <th>{lanesWords.from}</th>
          <th>{lanesWords.lasted}</th>
          <th>{lanesWords.ended}</th>
        </tr>
      </thead>
      <tbody>
        {spans.toReversed().map((span) => (
          <tr key={`${span.agentId} ${span.task} ${span.from}`}>
            <td>{span.agent}</td>
            <td>
              <TaskLink number={span.task} title={span.title} />
            </td>
            <td>{formatExact(span.from)}</td>
            <td>{formatDuration(span.to - span.from)}</td>
            <td>{lanesWords.ending(span)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
