import { useState } from 'preact/hooks'
import { call } from '../../data/call.ts'
import { copy } from '../../parts/command.tsx'
import { LoadedView } from '../../parts/loaded-view.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { en } from '../../text/en.ts'
import { GraphPicture } from './graph-picture.tsx'
import { GraphTable } from './graph-table.tsx'
import { toMermaid } from './mermaid.ts'

interface Props {
  readonly root: number
  readonly depth: number
}

export function Focus({ root, depth }: Props) {
  const [isTable, setTable] = useState(false)
  const loaded = useLoad(
    (signal) => call('graph.around', { id: String(root), depth }, { signal }),
    `${root} ${depth}`,
    {
      when: (type) => type === '*' || type.startsWith('relation.'),
    },
  )
  return (
    <LoadedView of={loaded}>
      {({ entity, nodes, edges, truncated }) => {
        const all = [
          { ...entity, depth: 0 },
          ...nodes.filter(({ number }) => number !== entity.number),
        ]
        return (
          <>
            <p class="filters">
              <span class="muted" role="status">
                {en.graph.nodes(all.length)} · {en.graph.edges(edges.length)}
                {truncated && ` · ${en.graph.truncated}`}
              </span>
              <button type="button" onClick={() => setTable(!isTable)}>
                {isTable ? en.graph.picture : en.graph.table}
              </button>
              <button type="button" onClick={() => void copy(toMermaid(all, edges))}>
                {en.graph.copyMermaid}
              </button>
            </p>
            {isTable ? (
              <GraphTable nodes={all} edges={edges} />
            ) : (
              <GraphPicture root={root} nodes={all} edges={edges} />
            )}
          </>
        )
      }}
    </LoadedView>
  )
}
