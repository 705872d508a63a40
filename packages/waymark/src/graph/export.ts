import * as z from 'zod'
import { yieldToEventLoop } from '../support/yield-to-event-loop.ts'
import type { ReadContext } from '../core/context.ts'
import { type Graph, toDot, toMermaid } from './graph.ts'
import { reference } from '../entity/reference.ts'
import { defineOperation } from '../core/operation.ts'
import { oneOf, whole } from '../core/input/schema.ts'
import type { EntityRow } from '../entity/store.ts'
import type { Edge, LabelRow } from './store.ts'
import { entityView, showEntities, time, toEntityView, toTime } from '../entity/view.ts'
import { findEntity } from '../entity/find-entity.ts'
import { otherEnd, reach } from './walk.ts'
import { counted, own, raw } from '../core/show.ts'
import type { EntityId } from '../entity/entity-id.ts'

/** Maximum number of relations in one answer. */
const MOST_EDGES = 20_000

export const exportGraph = defineOperation({
  name: 'graph.export',
  summary: 'Write the graph, or what lies around one entity, as JSON, DOT or Mermaid',
  example: 'mermaid --id 12',
  effect: 'read',
  input: z.object({
    format: oneOf(['mermaid', 'dot', 'json']).default('mermaid').describe('What to write'),
    id: reference.optional().describe('Only what lies around this entity'),
    depth: z.int().min(1).max(100).default(3).describe('How many relations away from it'),
    budget: z.int().min(1).max(20_000).default(500).describe('How many entities at most'),
  }),
  output: z.object({
    format: z.enum(['mermaid', 'dot', 'json']),
    text: z.string(),
    entity_count: z.int(),
    relation_count: z.int(),
    truncated: z.boolean().describe('There is more than was written'),
  }),
  positional: ['format'],
  async run(context, { format, id, depth, budget }) {
    const { rows, truncated } =
      id === undefined
        ? await firstOf(context, budget)
        : await rowsAround(context, id, { depth, budget })
    const ids = new Set(rows.map((row) => row.id))
    const edges = await edgesFrom(context, [...ids], {
      most: MOST_EDGES,
      isWanted: ({ targetId }) => ids.has(targetId),
    })
    const drawn = { nodes: rows, edges: edges.slice(0, MOST_EDGES) }
    return {
      format,
      text: WRITERS[format](drawn),
      entity_count: rows.length,
      relation_count: drawn.edges.length,
      truncated: truncated || edges.length > MOST_EDGES,
    }
  },
  show: ({ text }) => [raw(text)],
})

const WRITERS: Readonly<Record<'mermaid' | 'dot' | 'json', (graph: Graph) => string>> = {
  mermaid: toMermaid,
  dot: toDot,
  json: ({ nodes, edges }) =>
    `${JSON.stringify({
      nodes: nodes.map(({ id, number, type, title }) => ({ id, number, type, title })),
      edges: edges.map(({ sourceId, type, targetId }) => ({
        source: sourceId,
        type,
        target: targetId,
      })),
    })}\n`,
}

interface EdgeSelection {
  readonly most: number
  readonly isWanted?: (edge: Edge) => boolean
}

/** The outgoing relations of these entities; may exceed the limit. */
async function edgesFrom(
  { store, signal }: ReadContext,
  ids: readonly EntityId[],
  { most, isWanted = () => true }: EdgeSelection,
): Promise<readonly Edge[]> {
  const found: Edge[] = []
  for await (const edges of store.graph.edgesOf(ids, { direction: 'from' })) {
    found.push(...edges.filter(isWanted))
    if (found.length > most) break
    await yieldToEventLoop(signal)
  }
  return found
}

interface Rows {
  readonly rows: readonly LabelRow[]
  readonly truncated: boolean
}

async function firstOf({ store, signal }: ReadContext, budget: number): Promise<Rows> {
  const rows: LabelRow[] = []
  for await (const page of store.graph.everyLabel()) {
    rows.push(...page)
    if (rows.length > budget) break
    await yieldToEventLoop(signal)
  }
  return { rows: rows.slice(0, budget), truncated: rows.length > budget }
}

async function rowsAround(
  { store, signal }: ReadContext,
  id: string,
  { depth, budget }: { readonly depth: number; readonly budget: number },
): Promise<Rows> {
  const center = await findEntity(store.entities, id)
  const found = await reach(store.graph, center.id, {
    direction: 'both',
    depth,
    budget,
    signal,
    follow: otherEnd,
  })
  const rows = await store.graph.labels([...found.depths.keys()])
  return { rows: rows.toSorted((a, b) => a.number - b.number), truncated: found.isCut }
}

/** How many relations one page has room for. */
const MOST_LISTED = 5_000
/** How many entities, and how many relations, the whole graph may have in one answer. */
const MOST_OF_WHOLE = 100_000

export const listGraph = defineOperation({
  name: 'graph.list',
  summary: 'List entities whole, together with the relations that start at them',
  example: '--limit 50',
  effect: 'read',
  input: z.object({
    limit: z.int().min(1).max(1000).default(50).describe('How many entities at most'),
    offset: z.int().min(0).default(0).describe('How many entities to skip'),
    whole,
  }),
  output: z.object({
    entities: z.array(entityView),
    relations: z.array(
      z.object({
        source_id: z.string(),
        source_type: z.string(),
        type: z.string(),
        target_id: z.string(),
        target_type: z.string(),
        created_at: time,
        created_by: z.string().optional(),
      }),
    ),
    entity_count: z.int().describe('All there are'),
    relation_count: z.int().describe('All there are'),
    limit: z.int().describe('How many were asked for, or had room'),
    offset: z.int(),
    truncated: z
      .boolean()
      .optional()
      .describe('The one entity here has more relations than have room'),
  }),
  async run(context, { offset, whole, ...asked }) {
    const { store, signal } = context
    const limit = whole ? MOST_OF_WHOLE : asked.limit
    const most = whole ? MOST_OF_WHOLE : MOST_LISTED
    const page = await store.entities.list({ limit, offset, signal })
    const { entities, edges } = await withEdges(context, page.entities, most)
    const isShorter = page.isCut || entities.length < page.entities.length
    const shown = edges.slice(0, most)
    const ends = await store.graph.labels([...new Set(shown.map(({ targetId }) => targetId))])
    const types = new Map([...entities, ...ends].map(({ id, type }) => [id, type]))
    return {
      entities: entities.map(toEntityView),
      relations: shown.map(({ sourceId, type, targetId, createdAt, createdBy }) => ({
        source_id: sourceId,
        source_type: types.get(sourceId) ?? '',
        type,
        target_id: targetId,
        target_type: types.get(targetId) ?? '',
        created_at: toTime(createdAt),
        ...(createdBy !== null && { created_by: createdBy }),
      })),
      entity_count: page.total,
      relation_count: await store.relations.count(),
      limit: whole || isShorter ? entities.length : limit,
      offset,
      ...(shown.length < edges.length && { truncated: true }),
    }
  },
  show: ({ entities, entity_count, relation_count }) => [
    ...showEntities({ entities, total: entity_count }),
    own(counted(relation_count, 'relation')),
  ],
})

/** As many entities as fit with all their relations, at least one, so that paging always advances. */
async function withEdges(context: ReadContext, page: readonly EntityRow[], most: number) {
  let entities = page
  for (;;) {
    const ids = entities.map(({ id }) => id)
    const edges = await edgesFrom(context, ids, { most })
    if (edges.length <= most || entities.length === 1) return { entities, edges }
    entities = entities.slice(0, Math.ceil(entities.length / 2))
  }
}
