import { type Block, type Column, countOf, joined, type Line, line, table } from '../core/show.ts'
import type { Linked } from '../entity/linked/linked.ts'
import { showLinked } from '../entity/linked/show.ts'
import { showStatus } from '../entity/status-color.ts'
import { displayId, type EntityLabel, label } from '../entity/view.ts'
import type { GraphEdgeView, GraphNodeView, GraphView } from './view.ts'

const NODE_COLUMNS: readonly Column<GraphNodeView>[] = [
  { head: 'ID', value: displayId },
  { head: 'TITLE', value: ({ title }) => title, isMain: true },
  { head: 'TYPE', value: ({ type }) => type },
  { head: 'STATUS', value: ({ status }) => showStatus(status) },
  { head: 'AWAY', value: ({ depth }) => depth },
]

/** Artifacts and annotated code are no nodes, but they are linked too. */
export function showGraph(graph: GraphView & { readonly linked?: Linked }): readonly Block[] {
  const { entity, nodes, edges, truncated, linked = {} } = graph
  const attached = showLinked(linked, entity)
  if (nodes.length === 0) return [line`${label(entity)}: no relations`, ...attached]
  return [
    label(entity),
    table(nodes, NODE_COLUMNS),
    ...edges.map(({ source, type, target }) => line`#${source} ${type} #${target}`),
    ...(truncated ? [line`there is more; raise --budget`] : []),
    ...attached,
  ]
}

/** Each entity on a line, and between two of them the relation with an arrow for its direction. */
export function showSteps({
  path,
  relations,
}: {
  readonly path: readonly EntityLabel[]
  readonly relations: readonly GraphEdgeView[]
}): readonly Line[] {
  if (path.length === 0) return [line`no path`]
  return path.flatMap((entity, at) => {
    const relation = relations[at]
    if (relation === undefined) return [label(entity)]
    const isForward = relation.source === entity.number
    return [label(entity), isForward ? line`  ${relation.type} →` : line`  ← ${relation.type}`]
  })
}

const LABEL_COLUMNS: readonly Column<EntityLabel>[] = [
  { head: 'ID', value: displayId },
  { head: 'TITLE', value: ({ title }) => title, isMain: true },
  { head: 'TYPE', value: ({ type }) => type },
]

export function showOrphans({
  orphans,
  total,
  next_offset: next,
}: {
  readonly orphans: readonly EntityLabel[]
  readonly total: number
  readonly next_offset?: number | undefined
}): readonly Block[] {
  if (orphans.length === 0) return [line`everything is related to something`]
  const more = { isCut: next !== undefined, more: line`go on with --offset ${next}` }
  return [table(orphans, LABEL_COLUMNS), ...countOf(orphans.length, total, more)]
}

export function showCycles({
  cycles,
  truncated = false,
}: {
  readonly cycles: readonly (readonly EntityLabel[])[]
  readonly truncated?: boolean | undefined
}): readonly Line[] {
  return [
    ...cycles.map((cycle) => joined([...cycle, ...cycle.slice(0, 1)].map(label), ' → ')),
    ...(cycles.length === 0 ? [line`no cycles`] : []),
    ...(truncated ? [line`too many relations to look at all of them`] : []),
  ]
}
