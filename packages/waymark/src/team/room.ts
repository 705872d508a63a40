import { Failure } from '../core/error.ts'
import type { StoreEngine } from '../core/store/store.ts'
import type { KnownQuotas, QuotaKind } from './quotas.ts'

/** Operations that add something, and the quotas that they count for. */
const ADDS: Readonly<Record<string, QuotaKind>> = {
  'entity.batch': 'entities',
  'entity.create': 'entities',
  'entity.restore': 'entities',
  'task.create': 'entities',
  'task.create_many': 'entities',
  'task.import': 'entities',
  'exchange.import': 'entities',
  'replica.take': 'entities',
  'artifact.add': 'artifact_bytes',
}

const USED: Readonly<Record<Exclude<QuotaKind, 'requests_per_minute'>, string>> = {
  entities: 'SELECT count(*) AS used FROM entity WHERE deleted_at IS NULL',
  artifact_bytes: `SELECT coalesce(sum(size), 0) AS used
    FROM (SELECT DISTINCT hash, size FROM artifact WHERE removed_at IS NULL) AS one`,
}

/** A hundredth of what is left is used before it is counted again. */
const PARTS = 100

/**
 * Refuses an operation that adds something where the project has used up its quota. One that begins below the quota is
 * finished, so a project may exceed it by the last one. Everything else goes on: work is completed and things deleted.
 */
export function createRoom(
  projectId: string,
  engine: Pick<StoreEngine, 'get'>,
  quotas: KnownQuotas,
): (operation: string, input: unknown) => Promise<void> {
  const uncounted = new Map<QuotaKind, number>()
  return async (operation, input) => {
    const kind = addsNothing(input) ? undefined : ADDS[operation]
    if (kind === undefined || kind === 'requests_per_minute') return
    const limit = await quotas.amount(projectId, kind)
    if (limit === undefined) return
    const free = uncounted.get(kind) ?? 0
    if (free > 0) return void uncounted.set(kind, free - 1)
    const used = (await engine.get<{ used: number }>(USED[kind]))?.used ?? 0
    if (used >= limit) {
      const message = `${kind}: the project has ${used} and may have ${limit}; remove some, or ask an owner of the organisation for more`
      throw new Failure('storage_full', message, { details: { reason: 'quota', limit } })
    }
    uncounted.set(kind, kind === 'entities' ? Math.floor((limit - used) / PARTS) : 0)
  }
}

/** A batch that only changes and deletes. */
function addsNothing(input: unknown): boolean {
  const { operations } = { ...(input as { readonly operations?: unknown } | null) }
  if (!Array.isArray(operations)) return false
  return operations.every((step: { readonly op?: unknown } | null) => step?.op !== 'create')
}
