import * as z from 'zod'
import { supersedeDecision } from '../../decision/operations.ts'
import { listOrphans, showPath } from '../../graph/operations.ts'
import { createRelation, deleteRelation, listRelations } from '../../relation/operations.ts'
import type { RelationLabel, RelationView } from '../../relation/view.ts'
import type { DialectTool, Fields } from '../dialect.ts'
import { ALL, capped, define, id, limit, type } from './define-tool.ts'
import { toSpecEntity } from './shapes.ts'

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
      toInput: fromSpecEnds,
      toResult: toSpecEdge,
    }),
    define('relation_delete', 'Remove a relation', deleteRelation, {
      input: ends,
      toInput: fromSpecEnds,
      toResult: (output) => ({ ...toSpecEdge(output), deleted: true }),
    }),
    define('graph_relations', 'Get the relations of an entity', listRelations, {
      input: z.object({
        id,
        direction: z.string().optional().describe('from, to or both (default)'),
        limit: limit.optional(),
        offset: z.int().optional().describe('How many of each direction to skip'),
      }),
      toInput: (args) => {
        const { id, direction, limit = ALL, offset } = capped(args)
        return { id, direction, limit, offset }
      },
      toResult: toSpecRelations,
    }),
    define('graph_path', 'Find the shortest path between two entities', showPath, {
      input: z.object({
        from_id: id,
        to_id: id,
        max_depth: z.int().optional().describe('How many relations at most (default 10)'),
      }),
      toInput: ({ from_id: from, to_id: to, max_depth }) => ({ from, to, max_depth }),
      toResult: ({ path, length }) => ({
        path: path.map(({ id }) => id),
        length,
        ...(length === null && { message: 'No path found' }),
      }),
    }),
    define('graph_orphans', 'Find entities with no relations', listOrphans, {
      input: z.object({ type: type.optional(), limit: limit.optional() }),
      toInput: (args) => ({ limit: ALL, ...capped(args), whole: true }),
      toResult: ({ orphans, total }) => ({ orphans: orphans.map(toSpecEntity), total }),
    }),
    define('decision_supersede', 'Replace a decision by another one', supersedeDecision, {
      input: z.object({ old_id: id, new_id: id }),
      toInput: ({ old_id: old, new_id }) => ({ old, new: new_id }),
      toResult: ({ old, new: successor }) => ({
        old_decision: toSpecEntity(old),
        new_decision_id: successor.id,
        relation: { type: 'supersedes', from: successor.id, to: old.id },
        message: `Decision ${old.number} is superseded by ${successor.number}`,
      }),
    }),
  ]
}

/** A caller that asks for a part is told how many there are. */
function toSpecRelations({
  entity,
  outgoing,
  incoming,
  total,
}: z.output<typeof listRelations.output>): Fields {
  const isAll = total.outgoing === outgoing.length && total.incoming === incoming.length
  return {
    entity_id: entity.id,
    outgoing: outgoing.map(toSpecEdge),
    incoming: incoming.map(toSpecEdge),
    ...(!isAll && { total }),
  }
}

function fromSpecEnds({ source_id, target_id, relation_type }: Fields): unknown {
  return { source: source_id, target: target_id, type: relation_type }
}

function toSpecEdge(relation: RelationLabel & Partial<RelationView>): Fields {
  const { source, target, type, created_at, created_by } = relation
  return {
    source_id: source.id,
    source_type: source.type,
    target_id: target.id,
    target_type: target.type,
    relation_type: type,
    ...(created_at !== undefined && { created_at }),
    ...(created_by !== undefined && { created_by }),
  }
}
