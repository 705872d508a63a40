import * as z from 'zod'
import { Failure } from '../../core/error.ts'
import { defineOperation } from '../../core/operation.ts'
import { violation } from '../../core/input/parse.ts'
import { type LoroModule, loadLoro } from '../document/loro.ts'
import type { EntityRow } from '../../entity/store.ts'
import { emitEntityEvent } from '../../entity/view.ts'
import { type Change, change, dryRun } from '../../core/change.ts'
import { ownerOf } from '../../task/lease/guard.ts'
import { announceRestored, bringBack, KEY, relateAgain, rewrite, withKey } from './restore.ts'
import { findLostKeys } from './undo-keys.ts'
import { type Plan, planAll } from './undo-plan.ts'
import { fieldName } from './show.ts'
import { toTarget } from './undo-uses.ts'
import { type Block, joined, line, own } from '../../core/show.ts'

export const outcome = z.enum(['reverted', 'deleted', 'restored', 'kept'])

const undoView = z.object({
  author: z.string(),
  dry_run: z.boolean(),
  authors: z
    .array(z.string())
    .optional()
    .describe('If there is nothing to take back: those who changed something since then'),
  entities: z.array(
    z.object({
      id: z.string(),
      number: z.int(),
      title: z.string(),
      outcome: outcome.describe('kept: others have changed it since, build on it, or hold it'),
      fields: z.array(z.string()).describe('What was taken back'),
      kept: z.array(z.string()).describe('What was not, because of what others have done since'),
    }),
  ),
})
type UndoView = z.output<typeof undoView>

export const undoChanges = defineOperation({
  name: 'history.undo',
  summary: 'Take back what an author changed since a time, unless others have changed it further',
  example: 'ada 2026-11-01 --dry-run',
  effect: 'write',
  mayDelete: true,
  input: z.object({
    author: z.string().min(1).describe('Name beside the changes'),
    since: z.string().describe('Time like 2026-11-15T12:00:00Z'),
    dry_run: z.boolean().default(false).describe('Only print what would be undone'),
  }),
  output: undoView,
  positional: ['author', 'since'],
  async run(context, { author, since, dry_run }) {
    const from = Date.parse(since)
    if (Number.isNaN(from)) throw violation('since', 'bad_format', 'must be a time in ISO 8601')
    const loro = loadLoro()
    const run = dry_run ? dryRun : change
    return await run(context, async (change) => {
      const { plans, authors } = await planAll(change, loro, { author, from })
      const refused = await carryOut(change, loro, plans)
      const entities = plans.map((plan) => {
        const { id, number } = plan.found.row
        const result = toResult(plan, refused.get(id))
        return { id, number, title: titleAfter(plan, result.fields), ...result }
      })
      return { author, dry_run, entities, ...(entities.length === 0 && { authors }) }
    })
  },
  show: showUndo,
})

/** Facts that could not be undone because of changes by others: names by entity id. */
type Refused = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Runs each kind of step for all plans before the next kind: a key or an edge can only be restored after the undone
 * changes that conflict with it are gone.
 */
export async function carryOut(
  change: Change,
  loro: LoroModule,
  plans: readonly Plan[],
): Promise<Refused> {
  const refused = new Map<string, Set<string>>()
  const refuse = ({ found: { row } }: Plan, name: string): void => {
    refused.set(row.id, (refused.get(row.id) ?? new Set()).add(name))
  }
  for (const plan of plans) if (plan.outcome === 'deleted') await remove(change, plan.found.row)
  const rest = plans.filter(({ outcome }) => outcome === 'reverted' || outcome === 'restored')
  const lostKeys = await findLostKeys(change, rest)
  const rows = new Map<string, EntityRow>()
  for (const { found, outcome } of rest) {
    const { id } = found.row
    rows.set(id, outcome === 'restored' ? await restore(change, loro, found.row) : found.row)
  }
  for (const plan of rest) {
    for (const name of await removeRelations(change, plan)) refuse(plan, name)
  }
  for (const plan of rest) {
    const { row } = plan.found
    const hasLostKey = lostKeys.has(row.id)
    if (hasLostKey) refuse(plan, KEY)
    const present = plan.outcome === 'restored' ? undefined : row.properties['key']
    const facts = hasLostKey ? withKey(plan.facts, present) : plan.facts
    const fields = plan.back.filter(
      ({ name }) => toTarget(name) === undefined && name !== 'deleted',
    )
    if (fields.length === 0 && !hasLostKey) continue
    if ((await rewrite(change, rows.get(row.id) ?? row, facts)) !== undefined) continue
    // It was deleted concurrently.
    for (const { name } of fields) refuse(plan, name)
  }
  for (const plan of rest) {
    for (const name of await relateAllAgain(change, plan)) refuse(plan, name)
  }
  return refused
}

async function remove(change: Change, row: EntityRow): Promise<void> {
  const { id } = row
  for (const relation of await change.relations.removeAllOf(id, change.stamp)) {
    const { sourceId, type, targetId } = relation
    await change.announce('relation.deleted', sourceId, { type, target: targetId })
  }
  await change.entities.remove(id, change.stamp)
  await emitEntityEvent(change, 'entity.deleted', row)
}

async function restore(
  change: Change,
  loro: LoroModule,
  { id, number }: EntityRow,
): Promise<EntityRow> {
  const row = await bringBack(change, loro, id)
  if (row === undefined) throw new Failure('internal', `entity ${number} cannot be read`)
  await announceRestored(change, row)
  return row
}

/** Removes relations; returns the names of those that belong to a task that another agent holds. */
async function removeRelations(change: Change, { found, back }: Plan): Promise<string[]> {
  const refused: string[] = []
  const sourceId = found.row.id
  for (const { name, from } of back) {
    const end = toTarget(name)
    if (end === undefined || from !== undefined) continue
    const key = { sourceId, ...end }
    if ((await change.admission.refusal(ownerOf(key))) !== undefined) {
      refused.push(name)
      continue
    }
    // It may already be removed together with its target.
    if (await change.relations.remove(key, change.stamp)) {
      const { type, targetId } = end
      await change.announce('relation.deleted', sourceId, { type, target: targetId })
    }
  }
  return refused
}

/**
 * Restores relations and returns the names of those that could not be. Includes relations removed together with a
 * deleted entity, because that deletion also changed their sources.
 */
async function relateAllAgain(change: Change, { found, back }: Plan): Promise<string[]> {
  const refused: string[] = []
  for (const { name, from } of back) {
    const end = toTarget(name)
    if (end === undefined || from === undefined) continue
    const drawn = await relateAgain(change, { sourceId: found.row.id, ...end })
    if (drawn !== 'drawn') refused.push(name)
  }
  return refused
}

export function titleAfter({ found, facts }: Plan, fields: readonly string[]): string {
  const title = fields.includes('title') ? facts.get('title') : undefined
  return typeof title === 'string' ? title : found.row.title
}

export function toResult({ outcome, back, kept }: Plan, refused: ReadonlySet<string> = new Set()) {
  const fields = back.map(({ name }) => name).filter((name) => !refused.has(name))
  const isKept = outcome === 'reverted' && fields.length === 0
  return {
    outcome: isKept ? ('kept' as const) : outcome,
    fields,
    kept: [...new Set([...kept, ...refused])],
  }
}

function showUndo({ author, dry_run, entities, authors = [] }: UndoView): readonly Block[] {
  if (entities.length === 0) {
    const others =
      authors.length === 0 ? undefined : line`; changes since then are by ${joined(authors)}`
    return [line`nothing by ${author} to take back${others}`]
  }
  const would = own(dry_run ? 'would be ' : '')
  return entities.flatMap(({ number, title, outcome, fields, kept }) => [
    line`${would}${outcome}: #${number} ${title}`,
    ...(fields.length === 0 ? [] : [line`  back: ${joined(fields.map(fieldName))}`]),
    ...(kept.length === 0
      ? []
      : [line`  changed or held by others since, so kept: ${joined(kept.map(fieldName))}`]),
  ])
}
