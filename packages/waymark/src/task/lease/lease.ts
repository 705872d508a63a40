import type { AgentId } from '../../agent/agent.ts'

/** A lease lasts at least a minute and at most two hours; longer work renews it. */
export const SHORTEST_LEASE = 60
export const LONGEST_LEASE = 7200
export const DEFAULT_LEASE = 900

/** After this many expired leases the task, not the agents, is assumed to be the cause. */
export const LOST_LEASES_ALLOWED = 3

/** A lease renewed after this time shows that the task is workable, so the count of lost leases is reset. */
export const KEPT_LONG_MS = 2 * LONGEST_LEASE * 1000

/** Hard cap on claims while a task is open, also for agents that release cleanly. */
export const ATTEMPTS_ALLOWED = 20

/** For so long a task is not offered again to an agent that released it with a reason. */
export const WITHHELD_MS = 30 * 60 * 1000

export interface Lease {
  /** Null when the task is not held. */
  readonly agentId: AgentId | null
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** Lease statistics of a task since it was last closed or reopened. */
export interface Attempts {
  /** Number of claims. */
  readonly attempts: number
  /** Leases expired since a holder last released with a reason, or kept the task for long. */
  readonly lost: number
}

export interface HeldLease extends Lease {
  readonly agentId: AgentId
}

/** Whether the lease is active. An expired lease has no holder, even before the sweep records that. */
export function isHeld<L extends Lease>(lease: L | undefined, now: number): lease is L & HeldLease {
  return lease !== undefined && lease.agentId !== null && lease.expiresAt > now
}

/** Whether the fence was given out with this grant of the lease, or when the lease passed to a successor. */
export function isSameLease(
  lease: { readonly fence: number; readonly inherited: number },
  fence: number,
): boolean {
  return fence <= lease.fence && fence >= lease.fence - lease.inherited
}

/** Whether the task must be parked until a person has looked at it. */
export function attemptsExhausted({ attempts, lost }: Attempts): boolean {
  return lost >= LOST_LEASES_ALLOWED || attempts >= ATTEMPTS_ALLOWED
}

/** Whether the end of an expired lease parks the task; readers look before the sweep has recorded it. */
export function parksWhenSwept(lease: Lease & Attempts): boolean {
  return lease.agentId !== null && attemptsExhausted({ ...lease, lost: lease.lost + 1 })
}

/** Why a task is parked, as text. */
export function toParkedReason({ attempts, lost }: Attempts): string {
  if (lost >= LOST_LEASES_ALLOWED) return `${lost} leases of it ran out`
  return `it was begun ${attempts} times and never finished`
}

/** Whole seconds, clamped to the bounds. */
export function clampLease(seconds: number | undefined): number {
  const wanted = Math.trunc(seconds ?? DEFAULT_LEASE)
  return Math.min(LONGEST_LEASE, Math.max(SHORTEST_LEASE, wanted))
}
