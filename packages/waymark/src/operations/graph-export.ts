import * as z from 'zod'
import type { Context } from '../context.ts'
import { type Graph, toDot, toMermaid } from '../domain/graph.ts'
import { reference } from '../domain/reference.ts'
import { defineOperation } from '../operation.ts'
import { oneOf } from '../schema.ts'
import type { EntityRow } from '../store/entities.ts'
import { entityView, time, toEntityView, toTime } from './entity-view.ts'
import { findEntity } from './find-entity.ts'
import { otherEnd, reach } from './graph-walk.ts'

export const exportGraph = defineOperation({
  name: 'graph.export',
  summary: 'Write the graph, or what lies around one entity, as JSON, DOT or Mermaid',
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
    truncated: z.boolean().describe('There are more entities than the budget allowed'),
  }),
  positional: ['format'],
  async run(context, { format, id, depth, budget }) {
    const { rows, truncated } =
      id === undefined
        ? await firstOf(context, budget)
        : await rowsAround(context, id, { depth, budget })
    const { graph } = context.store
    const ids = new Set(rows.map((row) => row.id))
    const edges = await graph.edgesOf([...ids], { direction: 'from' })
    const drawn = { nodes: rows, edges: edges.filter(({ targetId }) => ids.has(targetId)) }
    return {
      format,
      text: WRITERS[format](drawn),
      entity_count: rows.length,
      relation_count: drawn.edges.length,
      truncated,
    }
  },
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

interface Rows {
  readonly rows: readonly EntityRow[]
  readonly truncated: boolean
}

async function firstOf({ store }: Context, budget: number): Promise<Rows> {
  const rows = await store.entities.after(0, budget + 1)
  return { rows: rows.slice(0, budget), truncated: rows.length > budget }
}

async function rowsAround(
  { store, signal }: Context,
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
  const rows = await store.graph.entities([...found.depths.keys()])
  return { rows: rows.toSorted((a, b) => a.number - b.number), truncated: found.isCut }
}

export const listGraph = defineOperation({
  name: 'graph.list',
  summary: 'List entities whole, together with the relations that start at them',
  effect: 'read',
  input: z.object({
    limit: z.int().min(1).max(1000).default(50).describe('How many entities at most'),
    offset: z.int().min(0).default(0).describe('How many entities to skip'),
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
    limit: z.int(),
    offset: z.int(),
  }),
  async run({ store }, { limit, offset }) {
    const page = await store.entities.list({ limit, offset })
    const ids = page.entities.map(({ id }) => id)
    const edges = await store.graph.edgesOf(ids, { direction: 'from' })
    const ends = await store.graph.entities([...new Set(edges.map(({ targetId }) => targetId))])
    const types = new Map([...page.entities, ...ends].map(({ id, type }) => [id, type]))
    return {
      entities: page.entities.map(toEntityView),
      relations: edges.map(({ sourceId, type, targetId, createdAt, createdBy }) => ({
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
      limit,
      offset,
    }
  },
})
