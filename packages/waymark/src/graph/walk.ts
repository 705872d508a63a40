import { yieldToEventLoop } from '../support/yield-to-event-loop.ts'
import type { Edge, EdgeQuery, GraphReader } from './store.ts'
import type { EntityId } from '../entity/entity-id.ts'

export interface Path {
  readonly ids: readonly EntityId[]
  /** The edge between each two neighbours. */
  readonly edges: readonly Edge[]
}

export interface StepOptions {
  readonly types?: readonly string[] | undefined
  readonly signal: AbortSignal
}

interface PathOptions extends StepOptions {
  readonly maxDepth: number
}

/** One side of a search for a path: how each entity was reached from its end. */
interface Side {
  readonly cameBy: Map<EntityId, Edge | undefined>
  frontier: readonly EntityId[]
}

/**
 * The shortest path between two entities, along relations in either direction. Undefined if there is none. Bidirectional
 * breadth-first search that always expands the smaller frontier.
 */
export async function findPath(
  graph: GraphReader,
  ends: { readonly from: EntityId; readonly to: EntityId },
  { maxDepth, ...options }: PathOptions,
): Promise<Path | undefined> {
  const start = toSide(ends.from)
  const goal = toSide(ends.to)
  if (ends.from === ends.to) return { ids: [ends.from], edges: [] }
  for (let depth = 0; depth < maxDepth; depth += 1) {
    const [near, far] =
      start.frontier.length <= goal.frontier.length ? [start, goal] : [goal, start]
    const meeting = await step(graph, { near, far }, options)
    if (meeting !== undefined) return join(meeting, start, goal)
    if (near.frontier.length === 0) return undefined
  }
  return undefined
}

function toSide(id: EntityId): Side {
  return { cameBy: new Map([[id, undefined]]), frontier: [id] }
}

/** Expands one layer, or stops where the sides meet. */
async function step(
  graph: GraphReader,
  { near, far }: { readonly near: Side; readonly far: Side },
  { types, signal }: StepOptions,
): Promise<EntityId | undefined> {
  const next: EntityId[] = []
  const from = new Set(near.frontier)
  for await (const edges of graph.edgesOf(near.frontier, { direction: 'both', types })) {
    for (const edge of edges) {
      const id = from.has(edge.sourceId) ? edge.targetId : edge.sourceId
      if (near.cameBy.has(id)) continue
      near.cameBy.set(id, edge)
      if (far.cameBy.has(id)) return id
      next.push(id)
    }
    await yieldToEventLoop(signal)
  }
  near.frontier = next
  return undefined
}

function join(meeting: EntityId, start: Side, goal: Side): Path {
  const there = trace(meeting, start)
  const back = trace(meeting, goal)
  return {
    ids: [...there.ids.toReversed(), ...back.ids.slice(1)],
    edges: [...there.edges.toReversed(), ...back.edges],
  }
}

/** The path from an entity back to the side's start. */
function trace(from: EntityId, { cameBy }: Side): Path {
  const ids = [from]
  const edges: Edge[] = []
  let at = from
  for (let edge = cameBy.get(at); edge !== undefined; edge = cameBy.get(at)) {
    at = edge.sourceId === at ? edge.targetId : edge.sourceId
    ids.push(at)
    edges.push(edge)
  }
  return { ids, edges }
}

export interface Reach {
  /** Every entity that was reached with its distance, nearest first. */
  readonly depths: ReadonlyMap<EntityId, number>
  /** The budget was exhausted. */
  readonly isCut: boolean
}

interface ReachOptions extends EdgeQuery {
  readonly depth: number
  /** How many entities at most, the start included. */
  readonly budget: number
  readonly signal: AbortSignal
  /** Where an edge leads from this entity, if anywhere. */
  readonly follow: (edge: Edge, from: EntityId) => EntityId | undefined
}

/** Breadth-first search around an entity until the budget is exhausted. */
export async function reach(
  graph: GraphReader,
  start: EntityId,
  { depth: deepest, budget, signal, follow, ...query }: ReachOptions,
): Promise<Reach> {
  const depths = new Map([[start, 0]])
  let frontier: readonly EntityId[] = [start]
  for (let depth = 1; depth <= deepest && frontier.length > 0; depth += 1) {
    const next = new Set<EntityId>()
    const from = new Set(frontier)
    const room = budget - depths.size
    for await (const edges of graph.edgesOf(frontier, query)) {
      for (const edge of edges) {
        for (const end of [edge.sourceId, edge.targetId]) {
          const id = from.has(end) ? follow(edge, end) : undefined
          if (id !== undefined && !depths.has(id)) next.add(id)
        }
      }
      if (next.size > room) break
      await yieldToEventLoop(signal)
    }
    frontier = [...next].slice(0, room)
    for (const id of frontier) depths.set(id, depth)
    if (frontier.length < next.size) return { depths, isCut: true }
  }
  return { depths, isCut: false }
}

/** The other end of an edge. */
export function otherEnd({ sourceId, targetId }: Edge, from: EntityId): EntityId {
  return sourceId === from ? targetId : sourceId
}
