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

const SEED_STATUSES = ['todo', 'in_progress', 'done', 'blocked'] as const
export const SEED_PRIORITIES: readonly string[] = Object.keys(PRIORITIES).toReversed()

/** The properties that the seed knows. What else the engine keeps is neither shown nor taken. */
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
export function documentSeedProperties(): JsonSchema {
  const { properties = {} } = documentProperties()
  const status = properties['status']?.description?.replace(' | cancelled', '') ?? ''
  return {
    properties: {
      ...pick(properties, ALL_PROPERTIES),
      status: { type: 'string', description: status },
      priority: { type: 'string', enum: SEED_PRIORITIES },
    },
  }
}

/** An entity, or as much of it as an operation shows. */
type ShownEntity = EntityLabel &
  Partial<Pick<EntityView, 'properties'>> & {
    readonly trust?: unknown
    readonly received?: unknown
  }

export interface SeedEntity extends Fields {
  readonly id: string
}

/** An entity as the seed shows it: `sequence_number`, named priorities, and the properties it knows. */
export function toSeedEntity(entity: ShownEntity): SeedEntity {
  // The seed has no word for how far a text can be relied on.
  const { id, number, properties, trust: _trust, received: _received, ...rest } = entity
  return {
    id,
    sequence_number: number,
    ...rest,
    ...(properties !== undefined && { properties: toSeedProperties(rest.type, properties) }),
  }
}

function toSeedProperties(type: EntityType, properties: Fields): Fields {
  const known = pick(properties, PROPERTIES[type])
  return type === 'task' ? toSeedTask(known) : known
}

function toSeedTask(properties: Fields): Fields {
  const { status, priority } = properties
  return {
    ...properties,
    status: status === 'cancelled' ? 'done' : status,
    ...(typeof priority === 'number' && { priority: toPriorityName(priority) }),
  }
}

/** The seed has no cancelled; what was given up is as finished as what was done. */
function toSeedStatus(status: TaskStatus): (typeof SEED_STATUSES)[number] {
  return status === 'cancelled' ? 'done' : status
}

/** What the engine calls the entities that are shown with a status. */
export function fromSeedStatus(status: string | undefined): readonly string[] {
  if (status === undefined) return []
  return status.trim().toLowerCase() === 'done' ? [status, 'cancelled'] : [status]
}

/** A task of the queue, as the seed lists it: every field, null where there is nothing. */
export function toSeedQueueTask(task: TaskSummary): SeedEntity {
  const { id, number, title, status, priority, due_date = null, assignee = null } = task
  return {
    id,
    sequence_number: number,
    title,
    status: toSeedStatus(status),
    priority: toPriorityName(priority),
    due_date,
    assignee,
  }
}

/** The same task as an entity. */
export function toSeedTaskEntity(task: TaskSummary): SeedEntity {
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
      status: toSeedStatus(status),
      priority: toPriorityName(priority),
    },
  }
}

/** Enough of a task to name what stands in the way. */
export function toSeedBlocker({ id, number, title, status }: TaskLabel): SeedEntity {
  return { id, sequence_number: number, title, status: toSeedStatus(status) }
}

/**
 * Drops what the seed does not know. A value that only the engine knows is made one that it does not know either:
 * whether the entity is a task, and so whether the value matters, is for the engine to see.
 */
export function fromSeedProperties(properties: unknown, type?: unknown): unknown {
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

/** The schema resource: what the engine checks, in the seed's words. */
export function toSeedSchema(output: z.output<typeof projectSchema.output>): Fields {
  const { entity_types, relation_types } = output
  const schemas: Readonly<Record<EntityType, JsonSchema>> = entity_types
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Medulla entities',
    oneOf: ENTITY_TYPES.map((type) => ({ $ref: `#/$defs/${type}` })),
    $defs: Object.fromEntries(ENTITY_TYPES.map((type) => [type, toSeedType(type, schemas[type])])),
    entity_types: [...ENTITY_TYPES],
    relation_types,
  }
}

function toSeedType(type: EntityType, schema: JsonSchema): Fields {
  const { number, properties, received: _received, ...rest } = schema.properties ?? {}
  const { required = [] } = schema
  const own = properties?.properties ?? {}
  return {
    ...schema,
    properties: {
      ...rest,
      sequence_number: number,
      properties: { ...properties, properties: toSeedFields(type, own) },
    },
    required: required.map((name) => (name === 'number' ? 'sequence_number' : name)),
  }
}

function toSeedFields(type: EntityType, fields: NonNullable<JsonSchema['properties']>): Fields {
  const known = pick(fields, PROPERTIES[type])
  if (type !== 'task') return known
  return {
    ...known,
    status: { type: 'string', enum: SEED_STATUSES, default: 'todo' },
    priority: { type: 'string', enum: SEED_PRIORITIES, default: 'normal' },
  }
}
