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
  return isFreed(calls, before, grant) || grantedAt(grant) >= expiryOf(calls, before, grant.start)
}

/** Whether somebody gave the task back, or closed or reopened it, between two leases. */
function isFreed(calls: readonly Call[], before: Grant, grant: Grant): boolean {
  return calls.some(
    ({ kind, outcome, start, end }) =>
      (kind === 'release' || kind === 'complete' || kind === 'reopen') &&
      outcome.is === 'done' &&
      end > before.start &&
      start < grant.end,
  )
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
      (outcome.is === 'done' || outcome.is === 'renewed') &&
      isAsHolder(kind) &&
      isSuperseded(grants, fence, start),
  ).length
}

/** Calls in the name of a lease, made after somebody else had been given the task. All of them must be refused. */
export function countLateCalls(calls: readonly Call[]): number {
  const grants = grantsOf(calls)
  return calls.filter(
    ({ kind, fence, start }) => isAsHolder(kind) && isSuperseded(grants, fence, start),
  ).length
}

/** By how many seconds at least a lease ended too early, or was still good when it should have ended. */
export function measureLength(calls: readonly Call[]): { early: number; late: number } {
  const grants = grantsOf(calls).toSorted((one, other) => one.outcome.fence - other.outcome.fence)
  const found = { early: 0, late: 0 }
  for (const [at, grant] of grants.entries()) {
    const next = grants[at + 1]
    const signs = calls.filter(
      ({ outcome }) => 'fence' in outcome && outcome.fence === grant.outcome.fence,
    )
    const [first, last] = [
      Math.max(...signs.map(({ start }) => start)),
      Math.max(...signs.map(({ end }) => end)),
    ]
    if (next !== undefined && !isFreed(calls, grant, next)) {
      found.early = Math.max(found.early, LEASE_SECONDS - (next.end - first) / 1000)
    }
    for (const { kind, outcome, start, end } of calls) {
      const isHeld = kind === 'claim' && outcome.is === 'refused' && outcome.reason === 'held'
      // What ended after the next lease began may have been refused for that one.
      if (!isHeld || start < last || (next !== undefined && end > next.start)) continue
      found.late = Math.max(found.late, (start - last) / 1000 - LEASE_SECONDS)
    }
  }
  return found
}

/** Leases whose end is not when it should be, by the time that all share, give or take so many seconds. */
export function countDatedWrong(calls: readonly Call[], secondsOff: number): number {
  return calls.filter(({ outcome, start, end }) => {
    if (!('expiresAt' in outcome)) return false
    const at = outcome.expiresAt - LEASE_SECONDS * 1000
    return at < start - secondsOff * 1000 || at > end + secondsOff * 1000
  }).length
}

/** Whether it names a lease. Claiming and reopening need none. */
function isAsHolder(kind: Call['kind']): boolean {
  return kind !== 'claim' && kind !== 'reopen'
}

function isSuperseded(grants: readonly Grant[], fence: number | undefined, start: number): boolean {
  if (fence === undefined) return false
  return grants.some((grant) => grant.outcome.fence > fence && grant.end < start)
}

function grantsOf(calls: readonly Call[]): Grant[] {
  return calls.filter((call): call is Grant => call.outcome.is === 'granted')
}
