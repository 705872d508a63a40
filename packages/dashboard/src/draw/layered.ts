import { groupBy } from '../data/task/group-by.ts'
/** An edge of the graph by numbers of its ends. */
export interface GraphEdge {
  readonly source: number
  readonly target: number
  readonly type: string
}

export interface GraphNode {
  readonly number: number
  readonly type: string
  readonly title: string
  readonly status?: string
  /** How many of its relations lead to nodes that are not shown. */
  readonly hidden: number
}

export interface Placed extends GraphNode {
  readonly x: number
  readonly y: number
  /** Columns left of the root are negative. */
  readonly layer: number
}

export const NODE_WIDTH = 210
export const NODE_HEIGHT = 46
const COLUMN = 290
const LINE = 58

/**
 * Puts the root in the middle, what it rests on to the left and what leans on it to the right, one column for each step away.
 * Nodes of a column are ordered by where their neighbours nearer to the root are, so that few edges cross.
 */
export function layered(
  root: number,
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
): readonly Placed[] {
  const layers = layersOf(root, edges)
  const columns = groupBy(nodes, ({ number }) => layers.get(number) ?? 0)
  const rows = new Map<number, number>()
  const order = [...columns.keys()].toSorted((one, other) => Math.abs(one) - Math.abs(other))
  for (const layer of order) {
    const column = columns.get(layer) ?? []
    const sorted = column.toSorted(
      (one, other) => weight(one.number) - weight(other.number) || one.number - other.number,
    )
    for (const [index, { number }] of sorted.entries())
      rows.set(number, index - (sorted.length - 1) / 2)
  }
  const lowest = Math.min(0, ...columns.keys())
  const top = Math.min(0, ...rows.values())
  return nodes.map((node) => ({
    ...node,
    layer: layers.get(node.number) ?? 0,
    x: ((layers.get(node.number) ?? 0) - lowest) * COLUMN,
    y: ((rows.get(node.number) ?? 0) - top) * LINE,
  }))

  function weight(number: number): number {
    const near = edges.flatMap(({ source, target }) =>
      source === number ? [target] : target === number ? [source] : [],
    )
    const placed = near.flatMap((other) => rows.get(other) ?? [])
    return placed.length === 0 ? 0 : placed.reduce((sum, row) => sum + row, 0) / placed.length
  }
}

/** How many steps a node is from the root, negative on the side that the root rests on. */
function layersOf(root: number, edges: readonly GraphEdge[]): ReadonlyMap<number, number> {
  const layers = new Map([[root, 0]])
  let frontier = [root]
  while (frontier.length > 0) {
    const next: number[] = []
    for (const number of frontier) {
      const layer = layers.get(number) ?? 0
      for (const { source, target } of edges) {
        const other = source === number ? target : target === number ? source : undefined
        if (other === undefined || layers.has(other)) continue
        const side = layer === 0 ? (source === number ? -1 : 1) : Math.sign(layer)
        layers.set(other, layer + side)
        next.push(other)
      }
    }
    frontier = next
  }
  return layers
}

const INDENT = 16
/** Room at the left for the edges of a stack. */
export const GUTTER = 36

/** The same nodes one below the other, for screens that are too narrow for columns: layer by layer, further ones indented. */
export function stacked(nodes: readonly Placed[]): readonly Placed[] {
  return nodes
    .toSorted((one, other) => one.layer - other.layer || one.y - other.y)
    .map((node, row) => ({
      ...node,
      x: GUTTER + Math.min(3, Math.abs(node.layer)) * INDENT,
      y: row * LINE,
    }))
}
