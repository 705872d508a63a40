import type { Leases } from '../../../packages/waymark/src/store/leases.ts'
import type { Store, StoreTransaction } from '../../../packages/waymark/src/store/store.ts'

/** Mistakes that real task queues have made, planted to see whether the checker finds them. */
export const LEASE_FAULTS = ['naive_claim', 'release_by_id', 'no_fence', 'anyone_renews'] as const
export type LeaseFault = (typeof LEASE_FAULTS)[number]

/** The same store with one mistake in it. */
export function withLeaseFault(store: Store, fault: LeaseFault): Store {
  return {
    ...store,
    write: async (work, options) => {
      // Looked at before the lock is taken: what was free then may be somebody's now.
      const before = new Map<string, Awaited<ReturnType<Leases['of']>>>()
      if (fault === 'naive_claim') {
        const { tasks } = store
        for (const task of await tasks.queue({ state: 'any', now: 0, limit: 100 })) {
          before.set(task.id, await store.leases.of(task.id))
        }
      }
      return await store.write(
        async (tx) => work({ ...tx, leases: faulty(tx, fault, before) }),
        options,
      )
    },
  }
}

function faulty(
  { leases }: StoreTransaction,
  fault: LeaseFault,
  before: ReadonlyMap<string, Awaited<ReturnType<Leases['of']>>>,
): Leases {
  switch (fault) {
    case 'naive_claim':
      return {
        ...leases,
        of: async (taskId) => before.get(taskId),
        grant: async (taskId, grant) => {
          await leases.clear(taskId)
          return await leases.grant(taskId, grant)
        },
      }
    case 'release_by_id':
      return {
        ...leases,
        release: async (taskId) => {
          await leases.clear(taskId)
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
  }
}
