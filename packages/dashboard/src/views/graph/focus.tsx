import { useState } from 'preact/hooks'
import type { Output } from '../../api.ts'
import { call } from '../../data/call.ts'
import type { GraphNode } from '../../draw/layered.ts'
import { copy } from '../../parts/command.tsx'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { graphWords } from '../../text/view/graph.ts'
import { GraphPicture } from './graph-picture.tsx'
import { GraphTable } from './graph-table.tsx'
import { toDot, toMermaid } from './mermaid.ts'

interface Props {
  readonly root: number
  readonly depth: number
}

/** More would be a picture in which no node can be found. */
const MOST_NODES = 300

export function Focus({ root, depth }: Props) {
  const [isTable, setTable] = useState(false)
  const loaded = useLoad(
    (signal) => call('graph.show', { root: String(root), depth, limit: MOST_NODES }, { signal }),
    `${root} ${depth}`,
    {
      when: (type) => type === '*' || type.startsWith('relation.'),
    },
  )
  return (
    <LoadedView of={loaded}>
      {(graph) => {
        const nodes = graph.nodes.map(toNode)
        const edges = graph.edges.map(([source, type, target]) => ({ source, type, target }))
        return (
          <>
            <p class="filters">
              <span class="muted" role="status">
                {graphWords.nodes(nodes.length)} · {graphWords.edges(edges.length)}
                {graph.truncated && ` · ${graphWords.truncated}`}
              </span>
              <button type="button" onClick={() => setTable(!isTable)}>
                {isTable ? graphWords.picture : graphWords.table}
              </button>
              <button type="button" onClick={() => void copy(toMermaid(nodes, edges))}>
                {graphWords.copyMermaid}
              </button>
              <button type="button" onClick={() => void copy(toDot(nodes, edges))}>
                {graphWords.copyDot}
              </button>
            </p>
            {isTable ? (
              <GraphTable nodes={nodes} edges={edges} />
            ) : (
              <GraphPicture root={root} nodes={nodes} edges={edges} />
            )}
          </>
        )
      }}
    </LoadedView>
  )
}

type Row = Output<'graph.show'>['nodes'][number]

function toNode([number, type, title, status, , hidden]: Row): GraphNode {
  return { number, type, title, hidden, ...(status !== null && { status }) }
}
