import * as z from 'zod'
import { reference } from '../entity/reference.ts'
import { relationType } from './relation.ts'
import { Failure } from '../core/error.ts'
import { defineOperation } from '../core/operation.ts'
import { oneOf } from '../core/input/schema.ts'
import { change } from '../core/change.ts'
import { entityLabel, toEntityLabel } from '../entity/view.ts'
import { findEntity } from '../entity/find-entity.ts'
import { relate } from './relate.ts'
import { showRelation, showRelations } from './show.ts'
import { line, own } from '../core/show.ts'
import { relationLabel, relationView, toRelationView } from './view.ts'

const ends = z.object({
  source: reference.describe('Where it starts: number or id'),
  target: reference.describe('Where it ends: number or id'),
  type: relationType,
})

export const createRelation = defineOperation({
  name: 'relation.create',
  summary: 'Relate two entities; a task that blocks another must be done first',
  example: '12 3 --type implements',
  effect: 'write',
  idempotent: true,
  input: ends,
  output: relationLabel.extend({
    created: z.boolean().describe('false when it was there already'),
  }),
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
  show: (relation) => [
    line`${own(relation.created ? 'added' : 'already there')}: ${showRelation(relation)}`,
  ],
})

export const deleteRelation = defineOperation({
  name: 'relation.delete',
  summary: 'Remove a relation between two entities',
  example: '12 3 --type implements',
  effect: 'delete',
  idempotent: true,
  input: ends,
  output: relationLabel.extend({ deleted: z.literal(true) }),
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
  show: (relation) => [line`removed: ${showRelation(relation)}`],
})

export const listRelations = defineOperation({
  name: 'relation.list',
  summary: 'List the relations of an entity',
  example: '12',
  effect: 'read',
  input: z.object({
    id: reference,
    direction: oneOf(['from', 'to', 'both']).default('both').describe('from it, to it, or both'),
    limit: z.int().min(1).max(100_000).default(1000).describe('How many of each direction at most'),
    offset: z.int().min(0).default(0).describe('How many of each direction to skip'),
  }),
  output: z.object({
    entity: entityLabel,
    outgoing: z.array(relationView),
    incoming: z.array(relationView),
    total: z.object({ outgoing: z.int(), incoming: z.int() }),
  }),
  positional: ['id'],
  async run(context, { id, direction, limit, offset }) {
    const { entities, relations, graph } = context.store
    const entity = await findEntity(entities, id)
    const rows = await relations.of(entity.id, direction)
    const outgoing = rows.filter(({ sourceId }) => sourceId === entity.id)
    const incoming = rows.filter(({ targetId }) => targetId === entity.id)
    const from = outgoing.slice(offset, offset + limit)
    const to = incoming.slice(offset, offset + limit)
    const ids = new Set([...from, ...to].flatMap(({ sourceId, targetId }) => [sourceId, targetId]))
    const ends = new Map((await graph.entities([...ids])).map((row) => [row.id, row]))
    return {
      entity: toEntityLabel(entity),
      outgoing: from.map((row) => toRelationView(row, ends)),
      incoming: to.map((row) => toRelationView(row, ends)),
      total: { outgoing: outgoing.length, incoming: incoming.length },
    }
  },
  show: showRelations,
})
