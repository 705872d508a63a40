import * as z from 'zod'
import { supersedeDecision } from '../../decision/operations.ts'
import { listOrphans, showPath } from '../../graph/operations.ts'
import { createRelation, deleteRelation, listRelations } from '../../relation/operations.ts'
import { fitsReply, takeWithinReply } from '../../support/text/reply-budget.ts'
import type { DialectTool } from '../dialect.ts'
import { capped, define, id, limit, type } from './define-tool.ts'
import { fitItem } from './fit-reply.ts'
import { type Fields, toSeedEntities, toSeedEntity } from './shapes.ts'

const ends = z.object({
  source_id: id,
  target_id: id,
  relation_type: z
    .string()
    .describe('implements, blocks, supersedes, references, belongs_to, documents'),
})

export function graphTools(): readonly DialectTool[] {
  return [
    define('relation_create', 'Relate two entities', createRelation, {
      input: ends,
      toInput: fromSeedEnds,
      toResult: toSeedEdge,
    }),
    define('relation_delete', 'Remove a relation', deleteRelation, {
      input: ends,
      toInput: fromSeedEnds,
      toResult: (output) => ({ ...toSeedEdge(output), deleted: true }),
    }),
    define('graph_relations', 'Get the relations of an entity', listRelations, {
      input: z.object({
        id,
        direction: z.string().optional().describe('from, to or both (default)'),
        limit: limit.optional(),
        offset: z.int().optional().describe('How many of each direction to skip'),
      }),
      toInput: (args) => {
        const { id, direction, limit, offset } = capped(args)
        return { id, direction, limit, offset }
      },
      toResult: toSeedRelations,
    }),
    define('graph_path', 'Find the shortest path between two entities', showPath, {
      input: z.object({
        from_id: id,
        to_id: id,
        max_depth: z.int().optional().describe('How many relations at most (default 10)'),
      }),
      toInput: ({ from_id: from, to_id: to, max_depth }) => ({ from, to, max_depth }),
      toResult: ({ path, length }) => ({
        path: (path as Fields[]).map(({ id }) => id),
        length,
        ...(length === null && { message: 'No path found' }),
      }),
    }),
    define('graph_orphans', 'Find entities with no relations', listOrphans, {
      input: z.object({ type: type.optional(), limit: limit.optional() }),
      toInput: capped,
      toResult: ({ orphans, total }) => ({ orphans: toSeedEntities(orphans), total }),
    }),
    define('decision_supersede', 'Replace a decision by another one', supersedeDecision, {
      input: z.object({ old_id: id, new_id: id }),
      toInput: ({ old_id: old, new_id }) => ({ old, new: new_id }),
      toResult: ({ old, new: successor }) => {
        const before = old as Fields
        const after = successor as Fields
        return {
          old_decision: fitItem(toSeedEntity(before), 'tool', 0.8),
          new_decision_id: after['id'],
          relation: { type: 'supersedes', from: after['id'], to: before['id'] },
          message: `Decision ${String(before['number'])} is superseded by ${String(after['number'])}`,
        }
      },
    }),
  ]
}

/** Both directions together fit into one answer unless the caller says how many; then it is told how many there are. */
function toSeedRelations({ entity, outgoing, incoming, total }: Fields, { limit }: Fields): Fields {
  const edges = {
    outgoing: (outgoing as Fields[]).map(toSeedEdge),
    incoming: (incoming as Fields[]).map(toSeedEdge),
  }
  const id = (entity as Fields)['id']
  const isCut = limit === undefined && !fitsReply(edges, 0.95)
  const fitted = isCut
    ? {
        outgoing: takeWithinReply(edges.outgoing, 0.45),
        incoming: takeWithinReply(edges.incoming, 0.45),
      }
    : edges
  const { outgoing: from, incoming: to } = total as { outgoing: number; incoming: number }
  const isAll = from === fitted.outgoing.length && to === fitted.incoming.length
  return { entity_id: id, ...fitted, ...(!isAll && { total }) }
}

function fromSeedEnds({ source_id, target_id, relation_type }: Fields): unknown {
  return { source: source_id, target: target_id, type: relation_type }
}

function toSeedEdge({ source, target, type, created_at, created_by }: Fields): Fields {
  const from = source as Fields
  const to = target as Fields
  return {
    source_id: from['id'],
    source_type: from['type'],
    target_id: to['id'],
    target_type: to['type'],
    relation_type: type,
    ...(created_at !== undefined && { created_at }),
    ...(created_by !== undefined && { created_by }),
  }
}
