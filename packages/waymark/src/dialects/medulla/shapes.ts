import type * as z from 'zod'
import {
  documentProperties,
  ENTITY_TYPES,
  type EntityType,
  entityType,
} from '../../entity/entity.ts'
import type { EntityLabel, EntityView } from '../../entity/view.ts'
import { PRIORITIES, type TaskStatus, toPriorityName } from '../../task/task.ts'
import type { TaskLabel, TaskSummary } from '../../task/view.ts'
import type { projectSchema } from '../../project/facts.ts'
import { toForeign } from './foreign-value.ts'
import type { JsonSchema } from '../../core/input/schema.ts'
import type { Fields } from '../dialect.ts'

const SPEC_STATUSES = ['todo', 'in_progress', 'done', 'blocked'] as const
export const SPEC_PRIORITIES: readonly string[] = Object.keys(PRIORITIES).toReversed()

/** The properties of the spec. Others of the engine are neither shown nor accepted. */
const PROPERTIES: Readonly<Record<EntityType, readonly string[]>> = {
  decision: ['status', 'context', 'consequences', 'superseded_by'],
  task: ['status', 'priority', 'due_date', 'assignee'],
  note: ['note_type'],
  prompt: ['template', 'variables', 'output_schema'],
  component: ['component_type', 'status', 'owner'],
  link: ['url', 'link_type'],
}
const ALL_PROPERTIES = [...new Set(Object.values(PROPERTIES).flat())]

/** The fields of all types, without what only the engine knows. */
export function documentSpecProperties(): JsonSchema {
  const { properties = {} } = documentProperties()
  const status = properties['status']?.description?.replace(' | cancelled', '') ?? ''
  return {
    properties: {
      ...pick(properties, ALL_PROPERTIES),
      status: { type: 'string', description: status },
      priority: { type: 'string', enum: SPEC_PRIORITIES },
    },
  }
}

/** An entity, or as much of it as an operation shows. */
type ShownEntity = EntityLabel &
  Partial<Pick<EntityView, 'properties'>> & {
    readonly trust?: unknown
    readonly received?: unknown
    readonly linked?: unknown
    readonly revision?: unknown
  }

export interface SpecEntity extends Fields {
  readonly id: string
}

/** An entity as the spec shows it: `sequence_number`, named priorities, and the properties it knows. */
export function toSpecEntity(entity: ShownEntity): SpecEntity {
  // The spec has no field for provenance and revisions, and relations of their own.
  const { trust: _trust, received: _received, linked: _linked, ...known } = entity
  const { id, number, properties, revision: _revision, ...rest } = known
  return {
    id,
    sequence_number: number,
    ...rest,
    ...(properties !== undefined && { properties: toSpecProperties(rest.type, properties) }),
  }
}

function toSpecProperties(type: EntityType, properties: Fields): Fields {
  const known = pick(properties, PROPERTIES[type])
  return type === 'task' ? toSpecTask(known) : known
}

function toSpecTask(properties: Fields): Fields {
  const { status, priority } = properties
  return {
    ...properties,
    status: status === 'cancelled' ? 'done' : status,
    ...(typeof priority === 'number' && { priority: toPriorityName(priority) }),
  }
}

/** The spec has no `cancelled`; such a task is shown as done. */
function toSpecStatus(status: TaskStatus): (typeof SPEC_STATUSES)[number] {
  return status === 'cancelled' ? 'done' : status
}

/** Engine filter for a status of the spec. */
export function fromSpecStatus(status: string | undefined): readonly string[] {
  if (status === undefined) return []
  return status.trim().toLowerCase() === 'done' ? [status, 'cancelled'] : [status]
}

/** A task of the queue, as the spec lists it: every field, null where there is nothing. */
export function toSpecQueueTask(task: TaskSummary): SpecEntity {
  const { id, number, title, status, priority, due_date = null, assignee = null } = task
  return {
    id,
    sequence_number: number,
    title,
    status: toSpecStatus(status),
    priority: toPriorityName(priority),
    due_date,
    assignee,
  }
}

/** The same task as an entity. */
export function toSpecTaskEntity(task: TaskSummary): SpecEntity {
  const { id, number, title, labels, created_at, updated_at, status, priority } = task
  return {
    id,
    sequence_number: number,
    type: 'task',
    title,
    tags: labels,
    created_at,
    updated_at,
    properties: {
      ...pick(task, ['due_date', 'assignee']),
      status: toSpecStatus(status),
      priority: toPriorityName(priority),
    },
  }
}

/** The fields of a blocking task. */
export function toSpecBlocker({ id, number, title, status }: TaskLabel): SpecEntity {
  return { id, sequence_number: number, title, status: toSpecStatus(status) }
}

/**
 * Drops properties that are not in the spec. A value that only the engine accepts is replaced by an invalid one, so that
 * the engine refuses it where the property applies: only the engine knows whether the entity is a task.
 */
export function fromSpecProperties(properties: unknown, type?: unknown): unknown {
  if (!isFields(properties)) return properties
  const word = type === undefined ? undefined : entityType.safeParse(type).data
  const known = pick(properties, word === undefined ? ALL_PROPERTIES : PROPERTIES[word])
  const { status, priority } = known
  return {
    ...known,
    ...(isCancelled(status) && { status: toForeign(status) }),
    ...(typeof priority === 'number' && { priority: toForeign(priority) }),
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isCancelled(status: unknown): status is string {
  return typeof status === 'string' && status.trim().toLowerCase() === 'cancelled'
}

function pick<Value>(
  fields: Readonly<Record<string, Value>>,
  names: readonly string[],
): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = fields[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** The schema resource: what the engine checks, in the spec's words. */
export function toSpecSchema(output: z.output<typeof projectSchema.output>): Fields {
  const { entity_types, relation_types } = output
  const schemas: Readonly<Record<EntityType, JsonSchema>> = entity_types
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Medulla entities',
    oneOf: ENTITY_TYPES.map((type) => ({ $ref: `#/$defs/${type}` })),
    $defs: Object.fromEntries(ENTITY_TYPES.map((type) => [type, toSpecType(type, schemas[type])])),
    entity_types: [...ENTITY_TYPES],
    relation_types,
  }
}

function toSpecType(type: EntityType, schema: JsonSchema): Fields {
  const { number, properties, received: _received, ...rest } = schema.properties ?? {}
  const { required = [] } = schema
  const own = properties?.properties ?? {}
  return {
    ...schema,
    properties: {
      ...rest,
      sequence_number: number,
      properties: { ...properties, properties: toSpecFields(type, own) },
    },
    required: required.map((name) => (name === 'number' ? 'sequence_number' : name)),
  }
}

function toSpecFields(type: EntityType, fields: NonNullable<JsonSchema['properties']>): Fields {
  const known = pick(fields, PROPERTIES[type])
  if (type !== 'task') return known
  return {
    ...known,
    status: { type: 'string', enum: SPEC_STATUSES, default: 'todo' },
    priority: { type: 'string', enum: SPEC_PRIORITIES, default: 'normal' },
  }
}
