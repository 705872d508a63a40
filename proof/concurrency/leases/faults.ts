import { LEASE_SECONDS } from './record.ts'
import type { Clock } from '../../../packages/waymark/src/core/clock/clock.ts'
import type { EntityRow } from '../../../packages/waymark/src/entity/store.ts'
import type { LeaseRow, Leases } from '../../../packages/waymark/src/task/lease/store.ts'
import type { Store, StoreTransaction } from '../../../packages/waymark/src/core/store/store.ts'
import { withNouns } from '../../system/with-nouns.ts'

/** Mistakes that real task queues have made, planted to see whether the checker finds them. */
export const LEASE_FAULTS = [
  'naive_claim',
  'release_by_id',
  'no_fence',
  'anyone_renews',
  'fence_reused',
  'rescued_too_early',
  'renewal_not_kept',
  'release_not_kept',
  'grant_not_kept',
  'never_set_aside',
  'rescuer_by_id',
] as const

/** Mistakes that show only where clocks are wrong. */
export const CLOCK_FAULTS = ['any_clock_followed', 'clock_stands_still'] as const
export type LeaseFault = (typeof LEASE_FAULTS)[number] | (typeof CLOCK_FAULTS)[number]

/** The same store with one mistake in it. */
export function withLeaseFault(store: Store, fault: LeaseFault): Store {
  return {
    ...store,
    write: async (work, options) => {
      // Looked at before the lock is taken: what was free then may be somebody's now.
      const before: Snapshot = new Map()
      if (fault === 'naive_claim' || fault === 'rescuer_by_id') {
        for (const task of await store.tasks.queue({ state: 'any', now: 0, limit: 100 })) {
          before.set(task.id, { task, lease: await store.leases.of(task.id) })
        }
      }
      return await store.write(
        async (tx) =>
          work(
            withNouns(tx, {
              leases: faulty(tx, fault, before),
              now: (clock) => timeIn(tx, clock, fault),
            }),
          ),
        options,
      )
    },
  }
}

async function timeIn(tx: StoreTransaction, clock: Clock, fault: LeaseFault): Promise<number> {
  // The latest time that any process has seen is everyone's.
  if (fault === 'any_clock_followed') return await tx.now({ now: () => clock.now() })
  // Until the wall clock has caught up with it.
  if (fault === 'clock_stands_still') {
    return await tx.now({ now: () => clock.now(), uptime: () => ({ boot: 1, ms: 0 }) })
  }
  return await tx.now(clock)
}

interface TaskBefore {
  readonly task: EntityRow
  readonly lease: LeaseRow | undefined
}
type Snapshot = Map<string, TaskBefore>

function faulty(tx: StoreTransaction, fault: LeaseFault, before: Snapshot): Leases {
  const { leases } = tx
  switch (fault) {
    case 'naive_claim':
      return {
        ...leases,
        of: async (taskId) => before.get(taskId)?.lease,
        grant: async (taskId, grant) => {
          await leases.clear(taskId, { keepsFence: true, to: 'closed', now: 0 })
          return await leases.grant(taskId, grant)
        },
      }
    case 'release_by_id':
      return {
        ...leases,
        release: async (taskId) => {
          await leases.clear(taskId, { keepsFence: true, to: 'closed', now: 0 })
          return true
        },
      }
    case 'no_fence':
      return { ...leases, admits: async () => true }
    case 'anyone_renews':
      return {
        ...leases,
        renew: async (taskId, _holder, until) => {
          const lease = await leases.of(taskId)
          if (lease === undefined || lease.agentId === null) return undefined
          return await leases.renew(taskId, { agentId: lease.agentId }, until)
        },
      }
    case 'fence_reused':
      return {
        ...leases,
        grant: async (taskId, grant) => {
          const lease = await leases.grant(taskId, grant)
          return lease && { ...lease, fence: Math.max(1, lease.fence - 1) }
        },
      }
    // The housekeeper's clock is half a lease ahead of everybody's.
    case 'rescued_too_early':
      return { ...leases, sweep: async (now) => await leases.sweep(now + LEASE_SECONDS * 500) }
    case 'renewal_not_kept':
      return {
        ...leases,
        renew: async (taskId, { agentId }, until) => {
          const lease = await leases.of(taskId)
          return lease?.agentId === agentId ? { ...lease, expiresAt: until.expiresAt } : undefined
        },
      }
    case 'release_not_kept':
      return {
        ...leases,
        release: async (taskId, { agentId }) => (await leases.of(taskId))?.agentId === agentId,
      }
    case 'grant_not_kept':
      return {
        ...leases,
        grant: async (taskId, grant) => {
          const lease = await leases.grant(taskId, grant)
          await leases.clear(taskId, { keepsFence: true, to: 'closed', now: 0 })
          return lease
        },
      }
    // Puts back, as it was when the housekeeper looked, what has run out: somebody may have finished it since.
    case 'rescuer_by_id':
      return {
        ...leases,
        sweep: async (now) => {
          const swept = await leases.sweep(now)
          for (const { task, lease } of before.values()) {
            if (lease === undefined || lease.agentId === null || lease.expiresAt > now) continue
            const { status, properties } = task
            await tx.entities.update(task.id, { status, properties }, { at: now, by: 'rescuer' })
          }
          return swept
        },
      }
    case 'never_set_aside':
      return { ...leases, park: async () => {} }
    case 'any_clock_followed':
    case 'clock_stands_still':
      return leases
  }
}
