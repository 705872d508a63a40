import { type Received, weakest } from '../arrival.ts'
import type { PurgeRequest } from './purge-store.ts'
import type { Replica } from './store.ts'
import type { EntityState } from '../document/document-state.ts'
import type { LogLine, RefusedLine, UpdateLine } from '../log/log-line.ts'
import type { LoroModule } from '../document/loro.ts'
import { materialise, type MergeNews } from './materialise.ts'
import { mergeDocument, type PreparedDocument, insertUnknown } from './merge-document.ts'
import type { NumberRule } from './numbers/numbers.ts'
import type { EntityId } from '../../entity/entity-id.ts'

export interface MergedLines extends MergeNews {
  readonly purged: readonly EntityId[]
  /** Entities that another clone has purged and that were unknown here. */
  readonly asked: readonly EntityId[]
  /** Purged entities of which the log still says something. */
  readonly late: readonly EntityId[]
  readonly refused: readonly RefusedLine[]
  /** Entities that do not make sense to this version; their documents are kept. */
  readonly notUnderstood: readonly EntityId[]
}

export interface LinesToMerge {
  readonly linesByEntity: ReadonlyMap<EntityId, readonly LogLine[]>
  /** They come from the log; lines from elsewhere have yet to be written there. */
  readonly isLogged: boolean
  /** How they came here. */
  readonly received: Received
  /** Apply purges of other clones without confirmation. */
  readonly acceptsPurges: boolean
  /** Milliseconds since 1970. */
  readonly at: number
  readonly numbers: NumberRule | 'later'
  /** Documents that were merged before the transaction began, because that takes long. */
  readonly prepared?: ReadonlyMap<EntityId, PreparedDocument>
}

/** Merges lines in the transaction of `replica`. Idempotent. */
export async function mergeLines(
  loro: LoroModule,
  replica: Replica,
  given: LinesToMerge,
): Promise<MergedLines> {
  const { linesByEntity, isLogged, at, numbers, prepared } = given
  const states: EntityState[] = []
  const [purged, asked, late]: [EntityId[], EntityId[], EntityId[]] = [[], [], []]
  const notUnderstood: EntityId[] = []
  const refused: RefusedLine[] = []
  const received = new Map<EntityId, Received>()
  const ids = [...linesByEntity.keys()]
  const unknownIds = await replica.unknownIds(ids)
  const requests = await readRequests(replica, ids)
  for (const [entityId, all] of linesByEntity) {
    const lines = all.filter(isUpdate)
    if (lines.length < all.length && !requests.has(entityId)) {
      const isUnknown = unknownIds.has(entityId)
      const request = await takePurge(replica, entityId, { ...given, isUnknown })
      if (request === 'purged') {
        purged.push(entityId)
        if (lines.length > 0) late.push(entityId)
        continue
      }
      if (request === 'asked') asked.push(entityId)
    }
    if (lines.length === 0) continue
    const merge = unknownIds.has(entityId) ? insertUnknown : mergeDocument
    const material = { lines, isLogged, prepared: prepared?.get(entityId) }
    const merged = await merge(loro, replica, entityId, material)
    refused.push(...merged.refused)
    received.set(entityId, {
      ...given.received,
      ...weakest(merged.lines.map(({ verification }) => verification)),
    })
    if (merged.isLate) late.push(entityId)
    else if (merged.state === undefined) notUnderstood.push(entityId)
    else states.push(withRequest(merged.state, requests.get(entityId)))
  }
  for (const entityId of purged) await replica.rows.purge(entityId, { at, by: null }, isLogged)
  const news = await materialise(replica, states, { at, unknownIds, received, numbers })
  return { ...news, purged, asked, late, refused, notUnderstood }
}

/** The document's state, marked as deleted if another clone's purge request applies. */
export function withRequest(state: EntityState, request: PurgeRequest | undefined): EntityState {
  if (request?.state !== 'deleted' || state.deleted !== undefined) return state
  return { ...state, deleted: { at: request.at, by: null }, relations: [] }
}

/**
 * The local effect of a remote purge. For an unknown entity purged in a backup file nothing can be lost; in a log its
 * lines may still follow.
 */
async function takePurge(
  replica: Replica,
  entityId: EntityId,
  given: LinesToMerge & { readonly isUnknown: boolean },
): Promise<'purged' | 'asked' | 'done'> {
  const { acceptsPurges, isLogged, isUnknown, received, at } = given
  if ((await replica.document(entityId))?.document === null) return 'done'
  if (acceptsPurges || (isUnknown && !isLogged)) return 'purged'
  await replica.purges.put({ entityId, remote: received.remote ?? null, at })
  return 'asked'
}

async function readRequests(
  { purges }: Replica,
  ids: readonly EntityId[],
): Promise<ReadonlyMap<EntityId, PurgeRequest>> {
  return new Map((await purges.among(ids)).map((request) => [request.entityId, request]))
}

function isUpdate(line: LogLine): line is UpdateLine {
  return 'update' in line
}

export function byEntity(lines: Iterable<LogLine>): Map<EntityId, LogLine[]> {
  const grouped = new Map<EntityId, LogLine[]>()
  for (const line of lines) {
    const known = grouped.get(line.entityId)
    if (known === undefined) grouped.set(line.entityId, [line])
    else known.push(line)
  }
  return grouped
}
