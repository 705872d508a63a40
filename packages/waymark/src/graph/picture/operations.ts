import * as z from 'zod'
import type { ReadContext } from '../../core/context.ts'
import { oneOf } from '../../core/input/schema.ts'
import { defineOperation } from '../../core/operation.ts'
import { counted, line } from '../../core/show.ts'
import { ENTITY_TYPES, type EntityType, entityType } from '../../entity/entity.ts'
import { findEntity } from '../../entity/find-entity.ts'
import { reference } from '../../entity/reference.ts'
import { relationType } from '../../relation/relation.ts'
import { yieldToEventLoop } from '../../support/yield-to-event-loop.ts'
import type { LabelRow } from '../store.ts'
import { otherEnd, reach } from '../walk.ts'
import { GROUPINGS, groupNodes, type NodeEdge } from './group.ts'

const MOST_NODES = 5000
const MOST_EDGES = 20_000

const node = z
  .tuple([
    z.int(),
    z.enum(ENTITY_TYPES),
    z.string(),
    z.string().nullable(),
    z.int().nullable(),
    z.int(),
  ])
  .describe('Number, type, title, status, distance from the root, relations that are not shown')
const edge = z.tuple([z.int(), z.string(), z.int()]).describe('Number, type of relation, number')
const group = z
  .tuple([z.string(), z.string(), z.int()])
  .describe('Key, title and how many entities')
const link = z.tuple([z.int(), z.int(), z.int()]).describe('Two groups by position, and how often')

export const showGraph = defineOperation({
  name: 'graph.show',
  summary: 'The graph in compact rows, around an entity or as groups, for programs that draw it',
  example: '--root 12 --depth 2',
  effect: 'read',
  input: z.object({
    root: reference.optional().describe('Number or id to start at; the whole graph without one'),
    depth: z.int().min(1).max(20).default(2).describe('How many relations away at most'),
    direction: oneOf(['from', 'to', 'both'])
      .default('both')
      .describe('Along relations from it, to it, or both'),
    types: z.array(relationType).max(20).optional().describe('Only along these relation types'),
    kinds: z.array(entityType).max(10).default([]).describe('Only these types of entity'),
    limit: z.int().min(1).max(MOST_NODES).default(500).describe('How many entities at most'),
    group_by: oneOf(GROUPINGS).default('none').describe('Show groups instead of entities'),
  }),
  output: z.object({
    nodes: z.array(node),
    edges: z.array(edge),
    groups: z.array(group),
    links: z.array(link),
    total: z.int().describe('How many entities there are, of those that were looked at'),
    truncated: z.boolean(),
  }),
  async run(context, input) {
    const found = await findNodes(context, input)
    const { kinds, limit } = input
    const wanted = found.rows.filter(
      ({ type }) => kinds.length === 0 || kinds.includes(type as EntityType),
    )
    const rows = input.group_by === 'none' ? wanted.slice(0, limit) : wanted
    const between = await edgesAmong(context, rows, input.types)
    const total = wanted.length
    const truncated = found.isCut || rows.length < total || between.isCut
    if (input.group_by !== 'none') {
      const grouped = await groupNodes(context, input.group_by, rows, between.edges)
      return { nodes: [], edges: [], ...grouped, total, truncated }
    }
    return {
      nodes: rows.map(({ id, number, type, title, status }): z.output<typeof node> => [
        number,
        type as EntityType,
        title,
        status,
        found.depths?.get(id) ?? null,
        between.hidden.get(id) ?? 0,
      ]),
      edges: between.edges.map(({ source, type, target }): z.output<typeof edge> => [
        source.number,
        type,
        target.number,
      ]),
      groups: [],
      links: [],
      total,
      truncated,
    }
  },
  show: ({ nodes, edges, groups }) => [
    groups.length > 0
      ? line`${counted(groups.length, 'group')}; --json prints them`
      : line`${counted(nodes.length, 'node')}, ${counted(edges.length, 'relation')}; --json prints them`,
  ],
})

interface Wanted {
  readonly root?: string | undefined
  readonly depth: number
  readonly direction: 'from' | 'to' | 'both'
  readonly types?: readonly string[] | undefined
  readonly limit: number
}

interface Found {
  readonly rows: readonly LabelRow[]
  readonly depths?: ReadonlyMap<string, number>
  readonly isCut: boolean
}

async function findNodes(context: ReadContext, wanted: Wanted): Promise<Found> {
  const { graph, entities } = context.store
  const { root, depth, direction, types, limit } = wanted
  if (root === undefined) {
    const rows: LabelRow[] = []
    for await (const page of graph.everyLabel()) {
      rows.push(...page)
      await yieldToEventLoop(context.signal)
    }
    return { rows, isCut: false }
  }
  const start = await findEntity(entities, root, 'root')
  const { depths, isCut } = await reach(graph, start.id, {
    direction,
    types,
    depth,
    budget: limit,
    signal: context.signal,
    follow: otherEnd,
  })
  const rows = await graph.labels([...depths.keys()])
  const distance = (row: LabelRow): number => depths.get(row.id) ?? 0
  const sorted = rows.toSorted((a, b) => distance(a) - distance(b) || a.number - b.number)
  return { rows: sorted, depths, isCut }
}

/** The relations between these entities, and of each how many lead elsewhere. */
async function edgesAmong(
  { store: { graph }, signal }: ReadContext,
  rows: readonly LabelRow[],
  types: readonly string[] | undefined,
) {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const edges: NodeEdge[] = []
  const hidden = new Map<string, number>()
  let isCut = false
  for (const direction of ['from', 'to'] as const) {
    for await (const page of graph.edgesOf([...byId.keys()], { direction, types })) {
      for (const { sourceId, type, targetId } of page) {
        const [source, target] = [byId.get(sourceId), byId.get(targetId)]
        const own = source ?? target
        if (own === undefined) continue
        if (source === undefined || target === undefined) {
          hidden.set(own.id, (hidden.get(own.id) ?? 0) + 1)
        } else if (direction === 'from') {
          if (edges.length < MOST_EDGES) edges.push({ source, type, target })
          else isCut = true
        }
      }
      await yieldToEventLoop(signal)
    }
  }
  return { edges, hidden, isCut }
}
