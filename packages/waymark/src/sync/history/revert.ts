import * as z from 'zod'
import { change, dryRun } from '../../core/change.ts'
import { Failure } from '../../core/error.ts'
import { violation } from '../../core/input/parse.ts'
import { defineOperation } from '../../core/operation.ts'
import { type Block, joined, line, own } from '../../core/show.ts'
import { findDeletedToo } from '../../entity/find-deleted-too.ts'
import { reference } from '../../entity/reference.ts'
import { loadLoro } from '../document/loro.ts'
import { fieldName, showChange } from './show.ts'
import { planRevert } from './undo-plan.ts'
import { carryOut, outcome, titleAfter, toResult } from './undo.ts'
import { changeView, toChangeViews } from './view.ts'

const revertView = z.object({
  id: z.string(),
  number: z.int(),
  title: z.string(),
  version: z.int(),
  dry_run: z.boolean(),
  outcome: outcome.describe('kept: all of it was changed further, or another agent holds it'),
  fields: z.array(z.string()).describe('What was taken back'),
  kept: z.array(z.string()).describe('Fields that were not, because they were changed since'),
  changes: z.array(changeView).describe('Values now, and before that change'),
})
type RevertView = z.output<typeof revertView>

export const revertChange = defineOperation({
  name: 'history.revert',
  summary: 'Undo one change of an entity; fields changed since are kept',
  example: '12 3 --dry-run',
  effect: 'write',
  mayDelete: true,
  input: z.object({
    id: reference,
    version: z.int().min(1).describe('The change, from entity.history'),
    dry_run: z.boolean().default(false).describe('Only print what would be undone'),
  }),
  output: revertView,
  positional: ['id', 'version'],
  async run(context, { id, version, dry_run }) {
    const loro = loadLoro()
    const run = dry_run ? dryRun : change
    return await run(context, async (change) => {
      const found = await findDeletedToo(change.replica, id)
      const { number } = found.row
      if (version === 1) throw firstVersion(number)
      const { plan, length } = await planRevert(change, loro, found, version)
      if (version > length) {
        throw violation('version', 'too_large', `must be at most ${length}`, { max: length })
      }
      const refused = await carryOut(change, loro, [plan])
      const result = toResult(plan, refused.get(found.row.id))
      const back = plan.back
        .filter(({ name }) => result.fields.includes(name))
        .map(({ name, from, to }) => ({ name, from: to, to: from }))
      return {
        id: found.row.id,
        number,
        title: titleAfter(plan, result.fields),
        version,
        dry_run,
        ...result,
        changes: await toChangeViews(back, { store: context.store, full: true }),
      }
    })
  },
  show: showRevert,
})

function firstVersion(number: number): Failure {
  return new Failure(
    'conflict',
    `version 1 added ${number}; to take that back: waymark delete ${number}`,
    { details: { field: 'version' } },
  )
}

function showRevert({
  number,
  title,
  dry_run,
  outcome,
  changes,
  kept,
}: RevertView): readonly Block[] {
  const would = own(dry_run ? 'would be ' : '')
  return [
    line`${would}${outcome}: #${number} ${title}`,
    ...changes.flatMap(showChange),
    ...(kept.length === 0
      ? []
      : [line`  changed or held by others since, so kept: ${joined(kept.map(fieldName))}`]),
  ]
}
