import * as z from 'zod'
import { reference } from '../../entity/reference.ts'
import { Failure } from '../../core/error.ts'
import { defineOperation } from '../../core/operation.ts'
import { violation } from '../../core/input/parse.ts'
import { quote } from '../../support/text/visible-text.ts'
import { emitRedacted, entityView, showEntity, toEntityView } from '../../entity/view.ts'
import { change } from '../../core/change.ts'
import { findEntity } from '../../entity/find-entity.ts'
import { findDeletedToo } from '../../entity/find-deleted-too.ts'
import type { Restored } from './restore.ts'
import { warning, warningView } from '../../core/warning.ts'
import { line } from '../../core/show.ts'
import { showWarnings } from '../../task/show.ts'
import { showChanges } from './show.ts'
import { entryView, toEntryView } from './view.ts'
import type { EntityId } from '../../entity/entity-id.ts'

export const showHistory = defineOperation({
  name: 'entity.history',
  summary: 'Who changed what of an entity, and when, newest first; also of a deleted one',
  example: '12 --full',
  effect: 'read',
  input: z.object({
    id: reference,
    limit: z.int().min(1).max(100).default(20).describe('How many changes at most'),
    before: z.int().min(2).optional().describe('Only versions below this one'),
    full: z.boolean().default(false).describe('Show long texts in full'),
  }),
  output: z.object({
    id: z.string(),
    number: z.int(),
    deleted: z.boolean(),
    total: z.int(),
    changes: z.array(entryView),
  }),
  positional: ['id'],
  async run(context, { id, limit, before = Number.MAX_SAFE_INTEGER, full }) {
    const { row, deleted } = await findDeletedToo(context.store.replica, id)
    const { replica } = context.store
    const [stored, ops] = [await replica.document(row.id), await replica.ops(row.id)]
    const { History, loadLoro } = await loadReplica()
    using history = new History(loadLoro(), row.id, stored, ops)
    const earlier = history.versions.filter(({ version }) => version < before)
    const shown = history.entries(earlier.slice(-limit).map(({ version }) => version))
    return {
      id: row.id,
      number: row.number,
      deleted: deleted !== undefined,
      total: history.length,
      changes: await Promise.all(
        shown.toReversed().map((entry) => toEntryView(entry, { store: context.store, full })),
      ),
    }
  },
  show: showChanges,
})

export const restoreEntity = defineOperation({
  name: 'entity.restore',
  summary: 'Bring back a deleted entity, or what an entity said at an earlier version',
  example: '12',
  effect: 'write',
  input: z.object({
    id: reference,
    version: z.int().min(1).optional().describe('From entity.history; not needed after a deletion'),
  }),
  output: entityView.extend({
    warnings: z.array(warningView).optional().describe('What of it did not come back'),
  }),
  positional: ['id', 'version'],
  async run(context, { id, version }) {
    const { History, loadLoro } = await loadReplica()
    const { revert, revive } = await import('./restore.ts')
    const loro = loadLoro()
    return await change(context, async (change) => {
      const found = await findDeletedToo(change.replica, id)
      const [stored, ops] = [
        await change.replica.document(found.row.id),
        await change.replica.ops(found.row.id),
      ]
      if (stored?.document === null) throw purged(found.row.id)
      const request = await change.replica.purges.find(found.row.id)
      // Restoring rejects the purge that another clone requested.
      if (request !== undefined) await change.replica.purges.setState(found.row.id, 'kept')
      if (found.deleted === undefined && version === undefined) {
        if (request !== undefined) return toEntityView(found.row)
        throw violation('version', 'required', 'is required: this entity is not deleted')
      }
      using history = new History(loro, found.row.id, stored, ops)
      const revived =
        found.deleted === undefined
          ? { row: found.row, refused: [] }
          : await revive(change, loro, found)
      if (revived === undefined) throw purged(found.row.id)
      if (version === undefined) return toRestoredView(revived)
      const [entry] = history.entries([version])
      if (entry === undefined) {
        throw violation('version', 'too_large', `must be at most ${history.length}`, {
          max: history.length,
        })
      }
      // The key that counts is the one of that version, not the one that it was deleted with.
      const { row, refused } = revived
      const reverted = await revert(change, row, entry.facts)
      return toRestoredView({ row, refused, ...reverted })
    })
  },
  show: ({ warnings, ...entity }) => [...showEntity(entity), ...showWarnings(warnings)],
})

export const purgeEntity = defineOperation({
  name: 'entity.purge',
  summary: 'Erase an entity for good, here and wherever this is synchronised; only its id remains',
  example: '12',
  effect: 'delete',
  input: z.object({
    id: reference,
    confirm: z.boolean().default(false).describe('true: nothing can bring it back'),
  }),
  output: z.object({ id: z.string(), number: z.int(), purged: z.literal(true) }),
  positional: ['id'],
  async run(context, { id, confirm }) {
    if (!confirm) {
      throw violation('confirm', 'required', 'must be true: what is purged cannot be brought back')
    }
    return await change(context, async (change) => {
      const { row, deleted } = await findDeletedToo(change.replica, id)
      // Refuses a number that a sync has given to another entity lately.
      if (deleted === undefined) await findEntity(change.entities, id)
      await change.replica.rows.purge(row.id, change.stamp, false)
      await emitRedacted(change, 'entity.purged', row.id)
      return { id: row.id, number: row.number, purged: true as const }
    })
  },
  show: ({ number }) => [line`#${number} is gone for good, with all of its history`],
})

/** Every command about entities loads this file, and hardly any of them merges. */
async function loadReplica() {
  const [{ History }, { loadLoro }] = await Promise.all([
    import('./history.ts'),
    import('../document/loro.ts'),
  ])
  return { History, loadLoro }
}

const LEFT_OUT = {
  cycle: 'would create a cycle now',
  held: 'would change a task that another agent holds',
} as const

function toRestoredView({ row, lostKey, refused, leftOut = [] }: Restored) {
  const warnings = refused.map(({ sourceId, type, targetId, why }) =>
    warning(
      'relation_left_out',
      `${sourceId.slice(0, 7)} ${type} ${targetId.slice(0, 7)} ${LEFT_OUT[why]}`,
    ),
  )
  if (lostKey !== undefined) {
    warnings.push(
      warning('key_taken', `it came without its key ${quote(lostKey)}: another task has it now`),
    )
  }
  for (const name of leftOut) {
    const message = `${quote(name)} did not come back, or not all of it: the rules do not allow it`
    warnings.push(warning('field_left_out', message))
  }
  return { ...toEntityView(row), ...(warnings.length > 0 && { warnings }) }
}

function purged(id: EntityId): Failure {
  return new Failure('conflict', `entity ${id.slice(0, 7)} was purged: nothing of it is left`, {
    details: { reason: 'purged' },
  })
}
