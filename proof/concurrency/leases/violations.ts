import { type Call, LEASE_SECONDS, type Outcome } from './record.ts'

type Granted = Extract<Outcome, { readonly expiresAt: number }>
type Grant = Call & { readonly outcome: Granted }

/** Leases that began, by the store's own clock, before the one before them had run out or was given back. */
export function countDoubleClaims(calls: readonly Call[]): number {
  const grants = grantsOf(calls).toSorted((one, other) => one.outcome.fence - other.outcome.fence)
  return grants.filter((grant, at) => {
    const before = grants[at - 1]
    return before !== undefined && !mayFollow(calls, before, grant)
  }).length
}

function mayFollow(calls: readonly Call[], before: Grant, grant: Grant): boolean {
  if (grant.outcome.fence === before.outcome.fence) return false
  const isFreed = calls.some(
    ({ kind, outcome, start, end }) =>
      (kind === 'release' || kind === 'complete' || kind === 'reopen') &&
      outcome.is === 'done' &&
      end > before.start &&
      start < grant.end,
  )
  return isFreed || grantedAt(grant) >= expiryOf(calls, before, grant.start)
}

function grantedAt({ outcome }: Grant): number {
  return outcome.expiresAt - LEASE_SECONDS * 1000
}

/** Until when a lease was good, with all that was known to be renewed by then. */
function expiryOf(calls: readonly Call[], grant: Grant, by: number): number {
  const renewed = calls.flatMap(({ outcome, end }) =>
    outcome.is === 'renewed' && outcome.fence === grant.outcome.fence && end < by
      ? [outcome.expiresAt]
      : [],
  )
  return Math.max(grant.outcome.expiresAt, ...renewed)
}

/** Changes accepted from a holder after somebody else had been given the task. */
export function countStaleWrites(calls: readonly Call[]): number {
  const grants = grantsOf(calls)
  return calls.filter(
    ({ kind, fence, start, outcome }) =>
      outcome.is === 'done' &&
      (kind === 'write' || kind === 'complete' || kind === 'release') &&
      fence !== undefined &&
      grants.some((grant) => grant.outcome.fence > fence && grant.end < start),
  ).length
}

function grantsOf(calls: readonly Call[]): Grant[] {
  return calls.filter((call): call is Grant => call.outcome.is === 'granted')
}
