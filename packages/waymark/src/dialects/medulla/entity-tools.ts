import * as z from 'zod'
import { Failure } from '../../core/error.ts'
import {
  createEntity,
  deleteEntity,
  getEntity,
  listEntities,
  updateEntity,
} from '../../entity/operations.ts'
import { batchEntities, type Outcome } from '../../entity/batch.ts'
import { parse } from '../../core/input/parse.ts'
import { documentedAs, toJsonSchema } from '../../core/input/schema.ts'
import type { DialectTool, Fields } from '../dialect.ts'
import { capped, define, id, specProperties } from './define-tool.ts'
import { toErrorCode } from './errors.ts'
import { fromSpecProperties, fromSpecStatus, toSpecEntity } from './shapes.ts'

// An id says which entity is meant.
const hint = { type: z.string().optional().describe('Hint, not needed') }
const creation = createEntity.input
  .pick({ type: true, title: true, content: true, tags: true, relations: true })
  .extend({ properties: specProperties.optional() })
const update = updateEntity.input
  .omit({ properties: true, force: true, reason: true, expected_revision: true })
  .extend({ id, properties: specProperties.optional() })
const { type, tag, limit, offset } = listEntities.input.shape
const status = z.string().optional().describe('Only with this status')
const listing = z.object({ type, status, tag, limit, offset })
const operation = documentedAs(z.looseObject({}), () => ({
  properties: {
    op: { enum: ['create', 'update', 'delete'], description: 'create, update or delete' },
    ...toJsonSchema(update).properties,
    ...toJsonSchema(creation.pick({ type: true })).properties,
  },
  required: ['op'],
}))

export function entityTools(): readonly DialectTool[] {
  return [
    define('entity_create', 'Create an entity of any type', createEntity, {
      input: creation,
      toInput: (args) => ({
        ...args,
        properties: fromSpecProperties(args['properties'], args['type']),
      }),
      toResult: toSpecEntity,
    }),
    define('entity_get', 'Get an entity by sequence number or UUID prefix', getEntity, {
      input: z.object({ id, ...hint }),
      toInput: ({ id }) => ({ id }),
      toResult: toSpecEntity,
    }),
    define('entity_list', 'List entities with filters', listEntities, {
      input: listing,
      toInput: ({ type, tag, ...rest }) => {
        const { limit, offset } = capped(rest)
        const statuses = fromSpecStatus(parse(status, rest['status'], ['status']))
        return { type, statuses, tag, limit, offset }
      },
      toResult: ({ entities, ...page }) => ({ entities: entities.map(toSpecEntity), ...page }),
    }),
    define('entity_update', 'Update fields of an entity', updateEntity, {
      input: update,
      unlisted: hint,
      toInput: (args) => {
        const { type: _, properties, ...fields } = args
        return { ...fields, properties: fromSpecProperties(properties) }
      },
      toResult: toSpecEntity,
    }),
    define('entity_delete', 'Delete an entity and its relations', deleteEntity, {
      input: z.object({ id }),
      unlisted: hint,
      toInput: ({ id }) => ({ id }),
      toResult: toSpecEntity,
    }),
    define(
      'entity_batch',
      'Create, update and delete several entities in order (best effort: a failure stops no other)',
      batchEntities,
      {
        input: z.object({ operations: z.array(operation).describe('At most 100 operations') }),
        toInput: ({ operations }) => ({
          operations: Array.isArray(operations) ? operations.map(toStep) : operations,
        }),
        toResult: ({ results, ...counts }) => ({
          results: results.map(toOutcome),
          ...counts,
        }),
      },
    ),
  ]
}

function toStep(step: unknown): unknown {
  if (typeof step !== 'object' || step === null) return step
  const { properties, type, id, ...rest }: Fields = { ...step }
  return {
    ...rest,
    ...(type !== undefined && { type }),
    ...(id !== undefined && { id: typeof id === 'number' ? String(id) : id }),
    ...(properties !== undefined && {
      properties: fromSpecProperties(properties, id === undefined ? type : undefined),
    }),
  }
}

function toOutcome({ index, success, id, error }: Outcome): Fields {
  if (error === undefined) return { index, success, id }
  const { code, message, details = {} } = error
  const { data } = toErrorCode(new Failure(code, message, { details }), 'entity_batch')
  const { error_type: type, ...facts } = data
  return { index, success, error: { code: toUpperCode(String(type)), message, ...facts } }
}

/** `EntityNotFound` → `ENTITY_NOT_FOUND`. */
function toUpperCode(type: string): string {
  return type.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()
}
