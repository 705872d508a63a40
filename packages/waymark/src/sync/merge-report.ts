import * as z from 'zod'
import type { Context } from '../core/context.ts'
import { holdersOf, toHolderName, withoutClone } from '../task/lease/elsewhere/holders.ts'
import { isHeld } from '../task/lease/lease.ts'
import { findCycle } from '../relation/find-cycle.ts'
import { REASONS } from './log/limits.ts'
import type { AsideLine } from './log/set-aside-store.ts'
import type { MergeReport } from './merge/merge.ts'
import type { EntityId } from '../entity/entity-id.ts'

const count = z.int().min(0)

type SyncRemarks = z.output<z.ZodObject<typeof mergeRemarks>>

const asideLine = z.object({
  hash: z.string(),
  segment: z.string().describe('File of the log that has it'),
  entity: z.string().optional(),
  reason: z.string(),
})

/** Lines that were not merged, with their location. */
export const setAside = z.object({
  total: count,
  lines: z.array(asideLine).describe('The first of them'),
})
export type SetAsideView = z.output<typeof setAside>

const MOST_SHOWN = 20

export function toSetAsideView(lines: readonly AsideLine[], total: number): SetAsideView {
  const shown = lines.filter(({ reason }) => reason !== 'damaged').slice(0, MOST_SHOWN)
  return {
    total,
    lines: shown.map(({ hash, segment, entityId, reason }) => {
      return { hash, segment, ...(entityId !== undefined && { entity: entityId }), reason }
    }),
  }
}

/** Log lines that were not merged, damaged or otherwise, except those with this reason. */
export async function readSetAside(
  { store }: Pick<Context, 'store'>,
  exceptReason?: keyof typeof REASONS,
) {
  const { aside } = store.replica
  const counts = await aside.counts()
  const damaged = counts.get('damaged') ?? 0
  const except = counts.get(exceptReason ?? '') ?? 0
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0) - damaged - except
  // The others come among them.
  const lines = total === 0 ? [] : await aside.list(MOST_SHOWN + damaged + except)
  return { damaged, total, lines: lines.filter(({ reason }) => reason !== exceptReason) }
}

/** The reasons as text. */
export function describeReasons(reasons: Iterable<string>): string {
  const words: Readonly<Record<string, string>> = REASONS
  return [...new Set(reasons)].map((reason) => words[reason] ?? reason).join('; ')
}

/** Counts of merged changes, for sync and import. */
export const mergeCounts = {
  created: count,
  updated: count,
  deleted: count,
  purged: count,
  relations: count.describe('Relations that came or went'),
}

/** Remarks on a merge that need the user's attention. */
export const mergeRemarks = {
  renumbered: z
    .array(
      z.object({
        id: z.string(),
        title: z.string().optional().describe('Absent of one that is deleted'),
        from: z.int(),
        to: z.int(),
      }),
    )
    .describe(
      'Entities that got another number, because it is taken by one that was in the log first',
    ),
  changed_twice: z
    .array(
      z.object({
        id: z.string(),
        number: z.int(),
        title: z.string(),
        field: z.string(),
        contradiction: z
          .boolean()
          .describe('Only the later change stands: entity.resolve chooses; false: merged by lines'),
      }),
    )
    .describe('Fields that were changed here and elsewhere before one knew of the other'),
  double_claims: z
    .array(
      z.object({
        id: z.string(),
        number: z.int(),
        title: z.string(),
        here: z.array(z.string()).describe('Holders in this clone'),
        elsewhere: z.array(z.string()).describe('Holders in other clones'),
      }),
    )
    .describe('Tasks that several clones have claimed before they knew of each other'),
  cycles: z
    .array(z.array(z.object({ number: z.int(), title: z.string() })))
    .describe('Tasks that wait for each other since this merge; delete one relation of each'),
  equal_keys: z
    .array(z.object({ key: z.string(), numbers: z.array(z.int()) }))
    .describe('Tasks that got the same key in different clones; give one another key'),
  waiting: count.describe('Changes that build on others which have not arrived'),
  damaged: count.describe('Lines that are cut off, altered or refused'),
  not_understood: z.array(z.string()).describe('Entities that a newer version wrote'),
}

/** The result of an import; unlike sync, it does not change a task that another agent holds. */
export const takenView = z.object({
  ...mergeCounts,
  ...mergeRemarks,
  left_alone: z
    .array(z.string())
    .describe('Entities left as they are because another agent holds a task; import them later'),
})
export type Taken = z.output<typeof takenView>

export function toMergeCounts({ created, updated, deleted, purged, relations }: MergeReport) {
  return { created, updated, deleted, purged, relations }
}

/** Call after everything is merged. */
export async function toMergeRemarks(context: Context, incoming: MergeReport) {
  const { store } = context
  const notUnderstood: string[] = []
  for (const id of new Set(incoming.notUnderstood)) {
    // Its dependencies may have arrived later in the same merge.
    const [found] = await store.replica.named({ prefix: id.replaceAll('-', '') })
    if (found === undefined) notUnderstood.push(id)
  }
  return {
    renumbered: await toRenumbered(store, incoming),
    changed_twice: await toChangedTwice(store, incoming),
    double_claims: await findDoubleClaims(context, incoming),
    cycles: await findNewCycles(store, incoming),
    equal_keys: await findEqualKeys(store, incoming),
    waiting: await store.replica.countStrays(),
    damaged: incoming.damaged + incoming.refused.length,
    not_understood: notUnderstood,
  }
}

/** One that a later part of the same merge has settled is no news. */
async function toChangedTwice({ entities, replica }: Context['store'], incoming: MergeReport) {
  const found: SyncRemarks['changed_twice'] = []
  for (const { id, field } of incoming.changedTwice) {
    const row = await entities.byId(id)
    const present = (await replica.changedTwice.of(id)).find((each) => each.field === field)
    const isTold = found.some((each) => each.id === id && each.field === field)
    if (row === undefined || present === undefined || isTold) continue
    const { number, title } = row
    found.push({ id, number, title, field, contradiction: present.isContradiction })
  }
  return found
}

async function findDoubleClaims(context: Context, { claimed }: MergeReport) {
  const { entities, leases } = context.store
  const now = await context.store.now(context)
  const ownClone = await leases.ownClone()
  const found: SyncRemarks['double_claims'] = []
  for (const id of new Set(claimed)) {
    const row = await entities.byId(id)
    if (row === undefined) continue
    const others = withoutClone(row, ownClone)
    const lease = await leases.of(id)
    const own = holdersOf(row).filter((holder) => !others.includes(holder))
    // A lease whose holder another clone has replaced.
    const lost = isHeld(lease, now) && own.length === 0 ? [lease.agentName ?? lease.agentId] : []
    const here = [...own.map(toHolderName), ...lost]
    if (others.length === 0 || here.length + others.length < 2) continue
    const { number, title } = row
    found.push({ id, number, title, here, elsewhere: others.map(toHolderName) })
  }
  return found
}

/** More new relations than this are left to `waymark store check`. */
const MOST_RELATIONS = 200

async function findNewCycles({ entities, relations }: Context['store'], incoming: MergeReport) {
  const found = new Map<string, SyncRemarks['cycles'][number]>()
  for (const relation of incoming.acyclic.slice(0, MOST_RELATIONS)) {
    const ids = new Set(await findCycle(relations, relation))
    const rows = await Promise.all([...ids].map((id) => entities.byId(id)))
    const named = rows.flatMap((row) => (row ? [{ number: row.number, title: row.title }] : []))
    if (named.length > 0) found.set([...ids].toSorted().join(' '), named)
  }
  return [...found.values()]
}

async function findEqualKeys({ tasks }: Context['store'], { keys }: MergeReport) {
  const found: SyncRemarks['equal_keys'] = []
  for (const key of keys) {
    const rows = await tasks.byKey(key)
    if (rows.length > 1) found.push({ key, numbers: rows.map(({ number }) => number) })
  }
  return found
}

/** One that was renumbered more than once on the way went from its first number to its last. */
async function toRenumbered({ entities }: Context['store'], { renumbered }: MergeReport) {
  const byId = new Map<string, { id: EntityId; from: number; to: number }>()
  for (const { id, from, to } of renumbered) {
    byId.set(id, { id, from: byId.get(id)?.from ?? from, to })
  }
  const changed = [...byId.values()].filter(({ from, to }) => from !== to)
  return await Promise.all(
    changed.map(async (each) => {
      const title = (await entities.byId(each.id))?.title
      return { ...each, ...(title !== undefined && { title }) }
    }),
  )
}
