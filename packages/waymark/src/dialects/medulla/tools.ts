import * as z from 'zod'
import type { Operation } from '../../operation.ts'
import {
  createEntity,
  deleteEntity,
  getEntity,
  listEntities,
  updateEntity,
} from '../../operations/entities.ts'
import { createRelation, deleteRelation, listRelations } from '../../operations/relations.ts'
import { parse } from '../../parse.ts'
import { documentedAs } from '../../schema.ts'
import type { DialectTool } from '../dialect.ts'
import { toTool } from '../to-tool.ts'
import { documentSeedProperties, type Fields, fromSeedProperties, toSeedEntity } from './shapes.ts'

const LARGEST_PAGE = 100

const id = z.string().describe('Sequence number or UUID prefix (at least 4 hex characters)')
const properties = documentedAs(z.record(z.string(), z.unknown()), documentSeedProperties)
const ends = z.object({
  source_id: id,
  target_id: id,
  relation_type: z
    .string()
    .describe('implements, blocks, supersedes, references, belongs_to, documents'),
})

export function loadTools(): readonly DialectTool[] {
  return [
    define('entity_create', 'Create an entity of any type', createEntity, {
      input: createEntity.input
        .pick({ type: true, title: true, content: true, tags: true, relations: true })
        .extend({ properties: properties.optional() }),
      toInput: (args) => ({
        ...args,
        properties: fromSeedProperties(args['properties'], args['type']),
      }),
      toResult: toSeedEntity,
    }),
    define('entity_get', 'Get an entity by sequence number or UUID prefix', getEntity, {
      input: z.object({ id, type: z.string().optional().describe('Hint, not needed') }),
      toInput: ({ id }) => ({ id }),
      toResult: toSeedEntity,
    }),
    define('entity_list', 'List entities with filters', listEntities, {
      input: listEntities.input,
      toInput: (args) => ({
        ...args,
        ...(typeof args['limit'] === 'number' && { limit: Math.min(args['limit'], LARGEST_PAGE) }),
      }),
      toResult: ({ entities, ...page }) => ({
        entities: (entities as Fields[]).map(toSeedEntity),
        ...page,
      }),
    }),
    define('entity_update', 'Update fields of an entity', updateEntity, {
      input: updateEntity.input
        .omit({ properties: true })
        .extend({ properties: properties.optional() }),
      toInput: (args) => ({ ...args, properties: fromSeedProperties(args['properties']) }),
      toResult: toSeedEntity,
    }),
    define('entity_delete', 'Delete an entity and its relations', deleteEntity, {
      input: z.object({ id }),
      toInput: (args) => args,
      toResult: toSeedEntity,
    }),
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
      }),
      toInput: (args) => args,
      toResult: ({ entity, outgoing, incoming }) => ({
        entity_id: (entity as Fields)['id'],
        outgoing: (outgoing as Fields[]).map(toSeedEdge),
        incoming: (incoming as Fields[]).map(toSeedEdge),
      }),
    }),
  ]
}

interface Mapping {
  readonly input: z.ZodObject
  toInput(args: Fields): unknown
  toResult(output: Fields): unknown
}

function define(
  name: string,
  description: string,
  operation: Operation,
  mapping: Mapping,
): DialectTool {
  return {
    listed: toTool({ name, description, input: mapping.input }, operation),
    operation,
    toInput: (args) => mapping.toInput(args),
    toResult: (output) => mapping.toResult(output as Fields),
  }
}

function fromSeedEnds(args: Fields): unknown {
  const { source_id: source, target_id: target, relation_type: type } = parse(ends, args)
  return { source, target, type }
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
