import type { Output } from '../../api.ts'
import type { GraphEdge, GraphNode } from '../../draw/layered.ts'
import { toAddress } from '../../shell/router.ts'
import { graphWords } from '../../text/view/graph.ts'

/** Rows of a large graph that are shown; a page of all of them would be slow. */
const MOST_ROWS = 500

/** A graph as the server sends it, as a table. */
export function toGraphTable({ nodes, edges }: Output<'graph.show'>) {
  return (
    <>
      {edges.length > MOST_ROWS && (
        <p class="muted">{graphWords.rowsCut(MOST_ROWS, edges.length)}</p>
      )}
      <GraphTable
        nodes={nodes.map(([number, type, title]) => ({ number, type, title, hidden: 0 }))}
        edges={edges
          .slice(0, MOST_ROWS)
          .map(([source, type, target]) => ({ source, type, target }))}
      />
    </>
  )
}

interface Props {
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
}

/** The same relations as rows. */
export function GraphTable({ nodes, edges }: Props) {
  const byNumber = new Map(nodes.map((node) => [node.number, node]))
  const cell = (number: number) => (
    <a class="title-link" href={toAddress('graph', number)}>
      <span class="number">#{number}</span> {byNumber.get(number)?.title}
    </a>
  )
  return (
    <table class="table panel">
      <thead>
        <tr>
          <th>{graphWords.source}</th>
          <th>{graphWords.relation}</th>
          <th>{graphWords.target}</th>
        </tr>
      </thead>
      <tbody>
        {edges.map(({ source, type, target }) => (
          <tr key={`${source} ${type} ${target}`}>
            <td>{cell(source)}</td>
            <td>{type.replaceAll('_', ' ')}</td>
            <td>{cell(target)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
