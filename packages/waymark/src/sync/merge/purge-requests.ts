import * as z from 'zod'
import type { Context } from '../../core/context.ts'
import { openDocument } from '../document/document.ts'
import { type EntityState, toEntityState } from '../document/document-state.ts'
import type { LoroModule } from '../document/loro.ts'
import { materialise } from './materialise.ts'
import { withRequest } from './merge-lines.ts'
import type { PurgeRequest } from './purge-store.ts'
import type { ReplicaReader } from './store.ts'
import { ifReadable } from '../../core/store/stored-json.ts'
import { emitRedacted } from '../../entity/view.ts'
import { type Change, change } from '../../core/change.ts'
import { endMergedLeases } from '../../task/lease/elsewhere/merged-leases.ts'
import { announceEntity, inNameOf, type MergeReport, withoutIdempotencyKey } from './merge.ts'
import type { EntityId } from '../../entity/entity-id.ts'

/** While more purges than this wait to be confirmed, none of the new ones is applied. */
const MOST_APPLIED = 20
const BATCH_SIZE = 100

export const purgeView = z.object({
  id: z.string(),
  number: z.int(),
  title: z.string(),
  state: z
    .enum(['deleted', 'held', 'purged'])
    .describe('deleted: can be restored; held: too many at once, nothing was done; purged: erased'),
  remote: z.string().optional().describe('The remote that brought the purge'),
})
export type PurgeView = z.output<typeof purgeView>

/**
 * Settles the purges that other clones request, after all lines are merged. A few become restorable deletions; many are
 * held until a local user confirms them. Returns the purged ids.
 */
export async function settlePurges(
  context: Context,
  loro: LoroModule,
  { isAccepted, incoming }: { readonly isAccepted: boolean; readonly incoming: MergeReport },
): Promise<readonly PurgeView[]> {
  const open = await describeOpen(context)
  if (isAccepted) return await carryOut(context, open)
  const waiting = open.filter(({ request }) => request.state === 'waiting')
  if (waiting.length > 0 && open.length <= MOST_APPLIED) {
    await change(withoutIdempotencyKey(context), async (change) => {
      for (const { request } of waiting) await deleteAsked(change, loro, request, incoming)
    })
  }
  return []
}

/** Purge requests of other clones that are not decided here. */
export async function describePurges(context: Context): Promise<PurgeView[]> {
  return (await describeOpen(context)).map(({ view }) => view)
}

interface OpenRequest {
  readonly request: PurgeRequest
  readonly view: PurgeView
}

/** Requests about entities that have data in this clone. */
async function describeOpen({ store }: Context): Promise<readonly OpenRequest[]> {
  const open: OpenRequest[] = []
  for (const request of await store.replica.purges.open()) {
    const { entityId, state, remote } = request
    const [row] = await store.replica.named({ prefix: entityId.replaceAll('-', '') })
    if (row === undefined) continue
    const { number, title } = row.row
    const shown = { id: entityId, number, title, ...(remote !== null && { remote }) }
    open.push({ request, view: { ...shown, state: state === 'deleted' ? 'deleted' : 'held' } })
  }
  return open.toSorted((a, b) => a.view.number - b.view.number)
}

/** Deletes the visible row but keeps the document and local changes, so that it can be restored. */
async function deleteAsked(
  change: Change,
  loro: LoroModule,
  request: PurgeRequest,
  incoming: MergeReport,
): Promise<void> {
  const { stamp, leases, unguardedReplica: replica } = change
  const state = await readState(replica, loro, request.entityId)
  if (state === undefined) return
  const held = await leases.heldAmong([request.entityId], stamp.at)
  await replica.purges.setState(request.entityId, 'deleted')
  const deleted = withRequest(state, { ...request, state: 'deleted' })
  const news = await materialise(replica, [deleted], { at: stamp.at })
  const { remote } = request
  const received = { via: 'sync' as const, ...(remote !== null && { remote }) }
  await endMergedLeases(inNameOf(change, null), held)
  for (const each of news.entities) {
    await announceEntity(change, each, received)
    incoming.deleted += 1
  }
}

/** Drops purge requests that are no longer in the log: their entities are restored and synced again. */
export async function withdrawPurges(
  context: Context,
  loro: LoroModule,
  ids: readonly EntityId[],
): Promise<void> {
  await change(withoutIdempotencyKey(context), async (change) => {
    const { unguardedReplica: replica, stamp } = change
    for (const id of ids) {
      await replica.purges.forget(id)
      const state = await readState(replica, loro, id)
      if (state === undefined) continue
      const { entities } = await materialise(replica, [state], { at: stamp.at })
      for (const each of entities) await announceEntity(change, each)
    }
  })
}

async function readState(
  replica: ReplicaReader,
  loro: LoroModule,
  id: EntityId,
): Promise<EntityState | undefined> {
  const [stored, ops] = [await replica.document(id), await replica.ops(id)]
  using document = ifReadable(() => openDocument(loro, id, stored, ops))
  return document && toEntityState(id, document.read())
}

async function carryOut(
  context: Context,
  open: readonly OpenRequest[],
): Promise<readonly PurgeView[]> {
  const here = new Set(open.map(({ view }) => view.id))
  const ids = (await context.store.replica.purges.open()).map(({ entityId }) => entityId)
  for (let at = 0; at < ids.length; at += BATCH_SIZE) {
    await change(withoutIdempotencyKey(context), async (change) => {
      for (const id of ids.slice(at, at + BATCH_SIZE)) {
        // Our lines may still be in the log; the purge record written there removes them.
        await change.unguardedReplica.rows.purge(id, change.stamp, !here.has(id))
        await emitRedacted(change, 'entity.purged', id)
      }
    })
  }
  return open.map(({ view }) => ({ ...view, state: 'purged' as const }))
}
