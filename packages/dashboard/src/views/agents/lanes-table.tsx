import type { Span } from '../../draw/span.ts'
import { TaskLink } from '../../parts/text/text-link.tsx'
import { formatDuration, formatExact } from '../../parts/time.tsx'
import { en } from '../../text/en.ts'

/** The same leases as rows, for screen readers, tests and print. */
export function LanesTable({ spans }: { readonly spans: readonly Span[] }) {
  return (
    <table class="table">
      <thead>
        <tr>
          <th>{en.lanes.agent}</th>
          <th>{en.lanes.task}</th>
          <th>{en.lanes.from}</th>
          <th>{en.lanes.lasted}</th>
          <th>{en.lanes.ended}</th>
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
            <td>{en.lanes.ending(span)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
