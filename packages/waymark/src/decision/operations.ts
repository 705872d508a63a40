import * as z from 'zod'
import { reference } from '../entity/reference.ts'
import { defineOperation } from '../core/operation.ts'
import { violation } from '../core/input/parse.ts'
import type { EntityReader, EntityRow } from '../entity/store.ts'
import { entityLabel, entityView, label, toEntityLabel, toEntityView } from '../entity/view.ts'
import { change } from '../core/change.ts'
import { findEntity } from '../entity/find-entity.ts'
import { supersede } from './rules.ts'
import { line, own } from '../core/show.ts'

export const supersedeDecision = defineOperation({
  name: 'decision.supersede',
  summary: 'Replace a decision by another one, and keep both',
  example: '3 7',
  effect: 'write',
  idempotent: true,
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
      const after = await supersede(change, before, successor)
      return view(after ?? before, successor, after !== undefined)
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
