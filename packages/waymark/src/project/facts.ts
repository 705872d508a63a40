import * as z from 'zod'
import { ENTITY_TYPES, type EntityType, propertiesSchema } from '../entity/entity.ts'
import { RELATION_TYPES } from '../relation/relation.ts'
import { defineOperation } from '../core/operation.ts'
import { type JsonSchema, toJsonSchema } from '../core/input/schema.ts'
import { VERSION } from '../support/version.ts'
import { entityView, time, toTime } from '../entity/view.ts'
import { type Block, counted, joined, line, own, raw, when } from '../core/show.ts'

const statsView = z.object({
  entity_counts: z.record(z.enum(ENTITY_TYPES), z.int()),
  relation_count: z.int(),
  last_modified: time.nullable().describe('null while nothing was ever written'),
  version: z.string(),
})
type ProjectStats = z.output<typeof statsView>

export const projectStats = defineOperation({
  name: 'project.stats',
  summary: 'Count the entities of each type and the relations, and say when one last changed',
  example: '',
  effect: 'read',
  input: z.object({}),
  output: statsView,
  async run({ store }) {
    const counts = await store.entities.counts()
    const times = [await store.entities.lastModified(), await store.relations.lastModified()]
    const latest = Math.max(...times.map((at) => at ?? 0))
    return {
      entity_counts: Object.fromEntries(
        ENTITY_TYPES.map((type) => [type, counts.get(type) ?? 0]),
      ) as Record<EntityType, number>,
      relation_count: await store.relations.count(),
      last_modified: latest === 0 ? null : toTime(latest),
      version: VERSION,
    }
  },
  show: showStats,
})

export const pingProject = defineOperation({
  name: 'project.ping',
  summary: 'Check that the project can be reached; reads and changes nothing',
  example: '',
  effect: 'read',
  input: z.object({}),
  output: z.object({ answer: z.literal('pong') }),
  async run() {
    return { answer: 'pong' as const }
  },
  show: ({ answer }) => [line`${answer}`],
})

export const projectSchema = defineOperation({
  name: 'project.schema',
  summary: 'Show the JSON Schema of every entity type and the relation types that have a meaning',
  example: '',
  effect: 'read',
  input: z.object({}),
  output: z.object({
    entity_types: z.record(z.enum(ENTITY_TYPES), z.record(z.string(), z.unknown())),
    relation_types: z.array(z.string()),
  }),
  async run() {
    return {
      entity_types: Object.fromEntries(
        ENTITY_TYPES.map((type) => [type, entitySchema(type)]),
      ) as Record<EntityType, JsonSchema>,
      relation_types: [...RELATION_TYPES],
    }
  },
  show: (schema) => [raw(`${JSON.stringify(schema, null, 2)}\n`)],
})

/** Generated from the rules themselves, so that it cannot get out of date. */
function entitySchema(type: EntityType): JsonSchema {
  const whole = toJsonSchema(entityView, 'output') as { properties: Record<string, unknown> }
  return {
    ...whole,
    properties: {
      ...whole.properties,
      type: { const: type },
      properties: propertiesSchema(type),
    },
  }
}

function showStats({
  entity_counts,
  relation_count,
  last_modified,
}: ProjectStats): readonly Block[] {
  const counts = Object.entries(entity_counts).map(([type, count]) => counted(count, type))
  return [
    joined(counts),
    own(counted(relation_count, 'relation')),
    line`last change: ${last_modified === null ? own('never') : when(last_modified)}`,
  ]
}
