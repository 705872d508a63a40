import * as z from 'zod'
import { yieldToEventLoop } from '../support/yield-to-event-loop.ts'
import type { ReadContext } from '../core/context.ts'
import { takeWithinReply } from '../support/text/reply-budget.ts'
import type { EntityRow } from '../entity/store.ts'
import type { Edge, GraphReader } from './store.ts'
import { entityLabel, toEntityLabel } from '../entity/view.ts'
import type { Reach, StepOptions } from './walk.ts'
import type { EntityId } from '../entity/entity-id.ts'

/** Maximum number in one answer. */
const MOST_EDGES = 1_000

/** An entity in a graph. */
const graphNode = entityLabel.extend({
  status: z.string().optional(),
  depth: z.int().describe('How many relations away'),
})
export type GraphNodeView = z.output<typeof graphNode>

/** A relation in a graph. Its ends are numbers: they are short, and the entities stand beside it. */
export const graphEdge = z.object({ source: z.int(), type: z.string(), target: z.int() })
export type GraphEdgeView = z.output<typeof graphEdge>

export const graphView = z.object({
  entity: entityLabel,
  nodes: z.array(graphNode),
  edges: z.array(graphEdge),
  truncated: z.boolean().describe('There is more than fitted'),
})
export type GraphView = z.output<typeof graphView>

/** Entities reached from a start, as many as fit into one answer. */
export async function toGraphView(
  context: ReadContext,
  center: EntityRow,
  { depths, isCut, types }: Reach & { readonly types?: readonly string[] | undefined },
): Promise<GraphView> {
  const { graph } = context.store
  const all = (await toGraphNodes(graph, depths)).filter(({ id }) => id !== center.id)
  const nodes = takeWithinReply(context, all, 0.6)
  const between = await toGraphEdges(graph, [center.id, ...nodes.map(({ id }) => id)], {
    types,
    signal: context.signal,
  })
  const edges = takeWithinReply(context, between, 0.3)
  const truncated = isCut || nodes.length < all.length || edges.length < between.length
  return { entity: toEntityLabel(center), nodes, edges, truncated }
}

/** The entities that were reached, nearest first. */
async function toGraphNodes(
  graph: GraphReader,
  depths: ReadonlyMap<EntityId, number>,
): Promise<GraphNodeView[]> {
  const rows = await graph.labels([...depths.keys()])
  return rows
    .map((row) => ({
      ...toEntityLabel(row),
      ...(row.status !== null && { status: row.status }),
      depth: depths.get(row.id) ?? 0,
    }))
    .toSorted((a, b) => a.depth - b.depth || a.number - b.number)
}

/** The relations between these entities. */
async function toGraphEdges(
  graph: GraphReader,
  ids: readonly EntityId[],
  { types, signal }: StepOptions,
): Promise<GraphEdgeView[]> {
  const numbers = new Map((await graph.labels(ids)).map(({ id, number }) => [id, number]))
  const views: GraphEdgeView[] = []
  for await (const edges of graph.edgesOf(ids, { direction: 'from', types })) {
    for (const edge of edges) {
      const view = toView(edge, numbers)
      if (view !== undefined) views.push(view)
    }
    if (views.length > MOST_EDGES) break
    await yieldToEventLoop(signal)
  }
  return views
}

function toView(edge: Edge, numbers: ReadonlyMap<string, number>): GraphEdgeView | undefined {
  const source = numbers.get(edge.sourceId)
  const target = numbers.get(edge.targetId)
  return source === undefined || target === undefined
    ? undefined
    : { source, type: edge.type, target }
}
