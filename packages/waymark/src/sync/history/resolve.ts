import * as z from 'zod'
import { type Change, change } from '../../core/change.ts'
import { Failure } from '../../core/error.ts'
import { violation } from '../../core/input/parse.ts'
import { oneLine } from '../../core/input/schema.ts'
import { defineOperation } from '../../core/operation.ts'
import { joined, line } from '../../core/show.ts'
import { changedProperties, type EntityType } from '../../entity/entity.ts'
import { findEntity } from '../../entity/find-entity.ts'
import { reference } from '../../entity/reference.ts'
import type { EntityRow } from '../../entity/store.ts'
import { emitEntityEvent, entityView, showEntity, toEntityView } from '../../entity/view.ts'
import type { ChangedTwice } from '../document/concurrent/concurrent.ts'
import type { EntityChange } from '../document/ops-store.ts'

const CHOICES = ['keep', 'other', 'both'] as const
type Choice = (typeof CHOICES)[number]

export const resolveEntity = defineOperation({
  name: 'entity.resolve',
  summary: 'Choose between two texts where a field was changed on both sides of a sync',
  example: '12 other',
  effect: 'write',
  input: z.object({
    id: reference,
    choice: z
      .enum(CHOICES)
      .describe('keep what stands now, take the other text, or the lines of both'),
    field: oneLine({ max: 100 }).optional().describe('Only this field; else all of them'),
  }),
  output: entityView.extend({ resolved: z.array(z.string()).describe('Fields') }),
  positional: ['id', 'choice'],
  async run(context, { id, choice, field }) {
    const [{ openDocument }, { loadLoro }] = await Promise.all([
      import('../document/document.ts'),
      import('../document/loro.ts'),
    ])
    return await change(context, async (change) => {
      const row = await findEntity(change.entities, id)
      const { replica } = change
      const known = new Set((await replica.changedTwice.of(row.id)).map((each) => each.field))
      const [stored, ops] = [await replica.document(row.id), await replica.ops(row.id)]
      using document = openDocument(loadLoro(), row.id, stored, ops)
      const open = document
        .changedTwice()
        .filter((each) => each.isContradiction && known.has(each.field))
        .filter((each) => field === undefined || each.field === field)
      if (open.length === 0) throw nothingToResolve(row, field)
      const chosen = toChange(open, choice)
      const resolved = await write(change, row, chosen)
      // What is kept differs from nothing, but has to be said: other clones still see two versions.
      if (choice === 'keep') await replica.record(row.id, change.stamp, chosen)
      return { ...toEntityView(resolved), resolved: open.map((each) => each.field) }
    })
  },
  show: ({ resolved, ...entity }) => [
    ...showEntity(entity),
    line`resolved: ${joined(resolved)}; run waymark sync to tell the others`,
  ],
})

function toChange(open: readonly ChangedTwice[], choice: Choice): EntityChange {
  const values = open.map((each) => [each.field, valueOf(each, choice)] as const)
  const { title, content, ...properties } = Object.fromEntries(values)
  return {
    ...(title !== undefined && { fields: { title } }),
    ...(content !== undefined && { content: content as string | null }),
    ...(Object.keys(properties).length > 0 && { properties }),
  }
}

function valueOf({ field, both, ...versions }: ChangedTwice, choice: Choice): unknown {
  if (choice === 'both' && both === undefined) {
    throw violation('choice', 'not_one_of', `must be keep or other: ${field} has one value`, {
      value: choice,
      valid: ['keep', 'other'],
    })
  }
  const value = choice === 'both' ? both : versions[choice]
  // Texts end their last line in a document.
  if (both === undefined || typeof value !== 'string') return value
  return value.replace(/\n$/, '') || null
}

async function write(change: Change, row: EntityRow, chosen: EntityChange): Promise<EntityRow> {
  const { fields, content, properties = {} } = chosen
  const written = await change.entities.update(
    row.id,
    {
      ...(fields !== undefined && { title: String(fields['title']) }),
      ...(content !== undefined && { content }),
      properties: changedProperties(row.type as EntityType, row.properties, properties),
    },
    change.stamp,
  )
  if (written === undefined) {
    throw new Failure('internal', `entity ${row.number} vanished inside its transaction`)
  }
  await emitEntityEvent(change, 'entity.updated', written)
  return written
}

function nothingToResolve({ id, number }: EntityRow, field: string | undefined): Failure {
  const what = field === undefined ? 'nothing' : 'this field'
  return new Failure('conflict', `${what} of #${number} waits for a choice; see waymark status`, {
    details: { reason: 'nothing_to_resolve', id, ...(field !== undefined && { field }) },
  })
}
