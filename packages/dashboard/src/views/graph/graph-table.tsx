import type { GraphEdge, GraphNode } from '../../draw/layered.ts'
import { toAddress } from '../../shell/router.ts'
import { en } from '../../text/en.ts'

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
          <th>{en.graph.source}</th>
          <th>{en.graph.relation}</th>
          <th>{en.graph.target}</th>
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
