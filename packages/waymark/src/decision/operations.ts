import * as z from 'zod'
import { changedProperties } from '../entity/entity.ts'
import { reference, toDisplayId } from '../entity/reference.ts'
import { Failure } from '../core/error.ts'
import { defineOperation } from '../core/operation.ts'
import { violation } from '../core/input/parse.ts'
import type { EntityReader, EntityRow } from '../entity/store.ts'
import {
  emitEntityEvent,
  entityLabel,
  entityView,
  label,
  toEntityLabel,
  toEntityView,
} from '../entity/view.ts'
import { change } from '../core/change.ts'
import { findEntity } from '../entity/find-entity.ts'
import { relate } from '../relation/relate.ts'
import { line, own } from '../core/show.ts'

export const supersedeDecision = defineOperation({
  name: 'decision.supersede',
  summary: 'Replace a decision by another one, and keep both',
  example: '3 7',
  effect: 'write',
  input: z.object({
    old: reference.describe('The decision that no longer holds: number or id'),
    new: reference.describe('The decision that holds instead: number or id'),
  }),
  output: z.object({
    old: entityView,
    new: entityLabel,
    changed: z.boolean().describe('false when it was replaced by this one already'),
  }),
  positional: ['old', 'new'],
  async run(context, input) {
    return await change(context, async (change) => {
      const before = await findDecision(change.entities, input.old, 'old')
      const successor = await findDecision(change.entities, input.new, 'new')
      if (before.id === successor.id) {
        throw violation('new', 'self_reference', 'must be another decision than the old one', {
          id: before.id,
        })
      }
      const isReplaced = await checkSuccessor(change.entities, before, successor)
      await relate(change, { source: successor, type: 'supersedes', target: before, field: 'new' })
      if (isReplaced) return view(before, successor, false)
      const properties = changedProperties('decision', before.properties, {
        status: 'superseded',
        superseded_by: successor.id,
      })
      const after = await change.entities.update(
        before.id,
        { status: 'superseded', properties },
        change.stamp,
      )
      if (after === undefined) {
        throw new Failure('internal', `decision ${before.number} vanished inside its transaction`)
      }
      await emitEntityEvent(change, 'decision.superseded', after, { superseded_by: successor.id })
      return view(after, successor, true)
    })
  },
  show({ old, new: successor, changed }) {
    const verb = own(changed ? 'is superseded by' : 'was superseded already by')
    return [line`${label(old)} ${verb} ${label(successor)}`]
  },
})

function view(old: EntityRow, successor: EntityRow, changed: boolean) {
  return { old: toEntityView(old), new: toEntityLabel(successor), changed }
}

async function findDecision(
  entities: EntityReader,
  text: string,
  field: string,
): Promise<EntityRow> {
  const row = await findEntity(entities, text, field)
  if (row.type === 'decision') return row
  throw violation(field, 'wrong_type', `must be a decision, and ${row.number} is a ${row.type}`, {
    value: text,
  })
}

/** Whether it is superseded already. A decision has one successor, and a cycle would leave none in force. */
async function checkSuccessor(
  entities: EntityReader,
  before: EntityRow,
  successor: EntityRow,
): Promise<boolean> {
  const present = before.properties['superseded_by']
  if (present === successor.id) return true
  if (typeof present === 'string') {
    const other = await entities.byId(present)
    if (other !== undefined) {
      throw new Failure(
        'conflict',
        `decision ${toDisplayId(before)} is superseded by ${toDisplayId(other)} already`,
        { details: { reason: 'superseded', field: 'old', superseded_by: other.id } },
      )
    }
  }
  const seen = new Set<string>()
  for (let at: EntityRow | undefined = successor; at !== undefined && !seen.has(at.id);) {
    seen.add(at.id)
    if (at.id === before.id) {
      throw new Failure(
        'conflict',
        `decision ${toDisplayId(successor)} is itself superseded by ${toDisplayId(before)}`,
        { details: { reason: 'cycle', field: 'new' } },
      )
    }
    const next: unknown = at.properties['superseded_by']
    at = typeof next === 'string' ? await entities.byId(next) : undefined
  }
  return false
}
