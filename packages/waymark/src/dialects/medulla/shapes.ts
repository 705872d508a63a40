import { documentProperties, entityType } from '../../domain/entity.ts'
import { PRIORITIES, type TaskStatus, toPriorityName } from '../../domain/task.ts'
import { violation } from '../../parse.ts'
import type { JsonSchema } from '../../schema.ts'

export type Fields = Readonly<Record<string, unknown>>

const STATUSES = ['todo', 'in_progress', 'done', 'blocked'] as const
const PRIORITY_NAMES = Object.keys(PRIORITIES).toReversed()

/** The fields of all types, without what only the engine knows. */
export function documentSeedProperties(): JsonSchema {
  const { properties } = documentProperties() as {
    properties: Record<string, { description: string }>
  }
  const status = properties['status']?.description.replace(' | cancelled', '')
  return {
    properties: {
      ...properties,
      status: { type: 'string', description: status },
      priority: { type: 'string', enum: PRIORITY_NAMES },
    },
  }
}

/** An entity as the seed shows it: `sequence_number`, and named priorities. */
export function toSeedEntity(entity: Fields): Fields {
  const { number, properties, ...rest } = entity
  return {
    id: rest['id'],
    sequence_number: number,
    ...rest,
    ...(properties !== undefined && {
      properties: rest['type'] === 'task' ? toSeedTask(properties as Fields) : properties,
    }),
  }
}

function toSeedTask(properties: Fields): Fields {
  const { status, priority } = properties
  return {
    ...properties,
    status: toSeedStatus(status as TaskStatus),
    ...(typeof priority === 'number' && { priority: toPriorityName(priority) }),
  }
}

/** The seed has no cancelled; what was given up is as finished as what was done. */
function toSeedStatus(status: TaskStatus): (typeof STATUSES)[number] {
  return status === 'cancelled' ? 'done' : status
}

/** Refuses what the seed does not know although the engine does: cancelled tasks and numeric priorities. */
export function fromSeedProperties(properties: unknown, type?: unknown): unknown {
  const other = type !== undefined && entityType.safeParse(type).data !== 'task'
  if (other || typeof properties !== 'object' || properties === null) return properties
  const { status, priority } = properties as Fields
  if (typeof status === 'string' && status.trim().toLowerCase() === 'cancelled') {
    throw notOneOf('status', status, STATUSES)
  }
  if (typeof priority === 'number') throw notOneOf('priority', priority, PRIORITY_NAMES)
  return properties
}

function notOneOf(field: string, value: unknown, valid: readonly string[]) {
  return violation(`properties.${field}`, 'not_one_of', `must be one of ${valid.join(', ')}`, {
    value,
    valid,
  })
}
