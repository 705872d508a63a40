/** A lease lasts at least a minute and at most two hours; longer work renews it. */
export const SHORTEST_LEASE = 60
export const LONGEST_LEASE = 7200
export const DEFAULT_LEASE = 900

/** So many leases in a row that nobody ended say that the task, not the agents, is the trouble. */
export const LOST_LEASES_ALLOWED = 3

export interface Lease {
  /** Null when nobody holds the task. */
  readonly agentId: string | null
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

export interface HeldLease extends Lease {
  readonly agentId: string
}

/** Held at this moment. A lease that has run out is nobody's, whether or not that was written down yet. */
export function isHeld<L extends Lease>(lease: L | undefined, now: number): lease is L & HeldLease {
  return lease !== undefined && lease.agentId !== null && lease.expiresAt > now
}

/** Whole seconds within the bounds; what is asked for outside of them is granted at the bound. */
export function clampLease(seconds: number | undefined): number {
  const wanted = Math.trunc(seconds ?? DEFAULT_LEASE)
  return Math.min(LONGEST_LEASE, Math.max(SHORTEST_LEASE, wanted))
}
