import * as z from 'zod'
import { reference } from '../domain/reference.ts'
import { relationType } from '../domain/relation.ts'
import { Failure } from '../error.ts'
import { defineOperation } from '../operation.ts'
import { oneOf } from '../schema.ts'
import type { RelationRow } from '../store/relations.ts'
import type { EntityReader } from '../store/entities.ts'
import { change } from './change.ts'
import { entityLabel, time, toEntityLabel, toTime } from './entity-view.ts'
import { findEntity } from './find-entity.ts'
import { relate } from './relate.ts'

const relationView = z.object({
  type: z.string(),
  source: entityLabel,
  target: entityLabel,
  created_at: time,
  created_by: z.string().optional(),
})

const ends = z.object({
  source: reference.describe('Where it starts: number or id'),
  target: reference.describe('Where it ends: number or id'),
  type: relationType,
})

const endLabels = z.object({ type: z.string(), source: entityLabel, target: entityLabel })

export const createRelation = defineOperation({
  name: 'relation.create',
  summary: 'Relate two entities; a task that blocks another must be done first',
  effect: 'write',
  input: ends,
  output: endLabels.extend({ created: z.boolean().describe('false when it was there already') }),
  positional: ['source', 'target'],
  async run(context, input) {
    return await change(context, async (change) => {
      const source = await findEntity(change.entities, input.source, 'source')
      const target = await findEntity(change.entities, input.target, 'target')
      const created = await relate(change, { source, type: input.type, target, field: 'target' })
      return {
        type: input.type,
        source: toEntityLabel(source),
        target: toEntityLabel(target),
        created,
      }
    })
  },
})

export const deleteRelation = defineOperation({
  name: 'relation.delete',
  summary: 'Remove a relation between two entities',
  effect: 'delete',
  input: ends,
  output: endLabels.extend({ deleted: z.literal(true) }),
  positional: ['source', 'target'],
  async run(context, input) {
    return await change(context, async (change) => {
      const source = await findEntity(change.entities, input.source, 'source')
      const target = await findEntity(change.entities, input.target, 'target')
      const key = { sourceId: source.id, type: input.type, targetId: target.id }
      if (!(await change.relations.remove(key, change.stamp))) {
        throw new Failure(
          'not_found',
          `entity ${source.number} has no relation ${input.type} to ${target.number}`,
          {
            details: { kind: 'relation', type: input.type, source: source.id, target: target.id },
          },
        )
      }
      await change.announce('relation.deleted', source.id, { type: input.type, target: target.id })
      return {
        type: input.type,
        source: toEntityLabel(source),
        target: toEntityLabel(target),
        deleted: true as const,
      }
    })
  },
})

export const listRelations = defineOperation({
  name: 'relation.list',
  summary: 'List the relations of an entity',
  effect: 'read',
  input: z.object({
    id: reference,
    direction: oneOf(['from', 'to', 'both']).default('both').describe('from it, to it, or both'),
  }),
  output: z.object({
    entity: entityLabel,
    outgoing: z.array(relationView),
    incoming: z.array(relationView),
  }),
  positional: ['id'],
  async run(context, { id, direction }) {
    const { entities, relations } = context.store
    const entity = await findEntity(entities, id)
    const rows = await relations.of(entity.id, direction)
    const views = await Promise.all(rows.map((row) => toRelationView(entities, row)))
    return {
      entity: toEntityLabel(entity),
      outgoing: views.filter(({ source }) => source.id === entity.id),
      incoming: views.filter(({ target }) => target.id === entity.id),
    }
  },
})

async function toRelationView(
  entities: EntityReader,
  row: RelationRow,
): Promise<z.output<typeof relationView>> {
  return {
    type: row.type,
    source: await label(entities, row.sourceId),
    target: await label(entities, row.targetId),
    created_at: toTime(row.createdAt),
    ...(row.createdBy !== null && { created_by: row.createdBy }),
  }
}

async function label(entities: EntityReader, id: string): Promise<z.output<typeof entityLabel>> {
  const row = await entities.byId(id)
  if (row === undefined) throw new Failure('internal', `a relation points to ${id}, which is gone`)
  return toEntityLabel(row)
}
