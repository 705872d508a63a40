/** A lease lasts at least a minute and at most two hours; longer work renews it. */
export const SHORTEST_LEASE = 60
export const LONGEST_LEASE = 7200
export const DEFAULT_LEASE = 900

/** So many leases that nobody ended say that the task, not the agents, is the trouble. */
const LOST_LEASES_ALLOWED = 3

/** Renewed after so long, a lease shows that the task can be worked on: what was lost before was not its fault. */
export const KEPT_LONG_MS = 2 * LONGEST_LEASE * 1000

/** Whoever takes care to give back what it could not do, or comes back for it after a crash, ends up here. */
const ATTEMPTS_ALLOWED = 20

export interface Lease {
  /** Null when nobody holds the task. */
  readonly agentId: string | null
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** What became of the leases of a task since it was last closed or reopened. */
export interface Attempts {
  /** How often somebody began it. */
  readonly attempts: number
  /** How many leases ran out since a holder last said why it gave the task back, or kept it for long. */
  readonly lost: number
}

export interface HeldLease extends Lease {
  readonly agentId: string
}

/** Held at this moment. A lease that has run out is nobody's, whether or not that was written down yet. */
export function isHeld<L extends Lease>(lease: L | undefined, now: number): lease is L & HeldLease {
  return lease !== undefined && lease.agentId !== null && lease.expiresAt > now
}

/** Whether a task that nobody finished this time either should be left alone until somebody has looked at it. */
export function attemptsExhausted({ attempts, lost }: Attempts): boolean {
  return lost >= LOST_LEASES_ALLOWED || attempts >= ATTEMPTS_ALLOWED
}

/** Why a task was set aside, in words. */
export function toParkedReason({ attempts, lost }: Attempts): string {
  if (lost >= LOST_LEASES_ALLOWED) return `${lost} leases of it ran out`
  return `it was begun ${attempts} times and never finished`
}

/** Whole seconds within the bounds; what is asked for outside of them is granted at the bound. */
export function clampLease(seconds: number | undefined): number {
  const wanted = Math.trunc(seconds ?? DEFAULT_LEASE)
  return Math.min(LONGEST_LEASE, Math.max(SHORTEST_LEASE, wanted))
}
