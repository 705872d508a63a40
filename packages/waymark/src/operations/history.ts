import * as z from 'zod'
import { reference } from '../domain/reference.ts'
import { Failure } from '../error.ts'
import { defineOperation } from '../operation.ts'
import { violation } from '../parse.ts'
import type { FactChange, HistoryEntry } from '../replica/history.ts'
import { quote } from '../visible-text.ts'
import { announceWordless } from './announce-row.ts'
import { change } from './change.ts'
import { entityView, time, toEntityView, toTime } from './entity-view.ts'
import { findAny } from './find-any.ts'
import type { Restored } from './restore.ts'
import { warning, warningView } from './warning.ts'

const LONGEST_SHOWN = 500

const entryView = z.object({
  version: z.int().describe('1 is the first; entity.restore takes it'),
  at: time,
  by: z.string().optional(),
  changes: z.array(
    z.object({
      field: z.string(),
      from: z.unknown().optional().describe('Absent when there was nothing'),
      to: z.unknown().optional().describe('Absent when there is nothing now'),
    }),
  ),
})

export const showHistory = defineOperation({
  name: 'entity.history',
  summary: 'Who changed what of an entity, and when, newest first; also of a deleted one',
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
    const { row, deleted } = await findAny(context.store.replica, id)
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
      changes: shown.toReversed().map((entry) => toEntryView(entry, full)),
    }
  },
})

export const restoreEntity = defineOperation({
  name: 'entity.restore',
  summary: 'Bring back a deleted entity, or what an entity said at an earlier version',
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
      const found = await findAny(change.replica, id)
      const [stored, ops] = [
        await change.replica.document(found.row.id),
        await change.replica.ops(found.row.id),
      ]
      if (stored?.document === null) throw purged(found.row.id)
      const request = await change.replica.purges.find(found.row.id)
      // Whoever restores it does not want it purged, though another clone does.
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
})

export const purgeEntity = defineOperation({
  name: 'entity.purge',
  summary: 'Erase an entity for good, here and wherever this is synchronised; only its id remains',
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
      const { row } = await findAny(change.replica, id)
      await change.replica.rows.purge(row.id, change.stamp, false)
      await announceWordless(change, 'entity.purged', row.id)
      return { id: row.id, number: row.number, purged: true as const }
    })
  },
})

/** Every command about entities loads this file, and hardly any of them merges. */
async function loadReplica() {
  const [{ History }, { loadLoro }] = await Promise.all([
    import('../replica/history.ts'),
    import('../replica/loro.ts'),
  ])
  return { History, loadLoro }
}

function toEntryView({ version, at, by, changes }: HistoryEntry, full: boolean) {
  return {
    version,
    at: toTime(at),
    ...(by !== null && { by }),
    changes: changes.map((change) => toChangeView(change, full)),
  }
}

function toChangeView({ name, from, to }: FactChange, full: boolean) {
  const show = (value: unknown): unknown => (full ? value : shorten(value))
  return {
    field: name,
    ...(from !== undefined && { from: show(from) }),
    ...(to !== undefined && { to: show(to) }),
  }
}

function shorten(value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= LONGEST_SHOWN) return value
  return `${value.slice(0, LONGEST_SHOWN).toWellFormed()}… (${value.length} characters)`
}

const LEFT_OUT = {
  cycle: 'would close a circle now',
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

function purged(id: string): Failure {
  return new Failure('conflict', `entity ${id.slice(0, 7)} was purged: nothing of it is left`, {
    details: { reason: 'purged' },
  })
}
