import type { Call } from './record.ts'

/** A task as it must be at each moment, if calls take effect one after the other. */
interface State {
  readonly fence: number
  readonly holder: string | null
  readonly expiresAt: number
  /** How often it was begun, and how many of the leases ran out, since it was last closed or reopened. */
  readonly attempts: number
  readonly lost: number
  readonly parked: boolean
  readonly closed: boolean
  /** No later call can have taken effect before this. */
  readonly clock: number
}

const START: State = {
  fence: 0,
  holder: null,
  expiresAt: 0,
  attempts: 0,
  lost: 0,
  parked: false,
  closed: false,
  clock: 0,
}

const LOST_ALLOWED = 3
const ATTEMPTS_ALLOWED = 20

export interface Verdict {
  readonly ok: boolean
  /** How far an order could be found, for whoever has to look into it. */
  readonly explained: number
  readonly calls: number
  readonly stuckAt?: Call
}

/**
 * Whether there is an order of the calls on one task, each taking effect between its start and its end, in which
 * every answer is what a single task would have answered. Searches depth first and remembers where it has been.
 * Where the clocks are wrong a lease may have run out at any moment, and only the order is checked.
 */
export function checkTask(history: readonly Call[], clocks: 'right' | 'wrong' = 'right'): Verdict {
  const calls = history.toSorted((one, other) => one.start - other.start)
  const seen = new Set<string>()
  const done = new Set<number>()
  let explained = 0
  let stuckAt: Call | undefined

  const search = (state: State, first: number): boolean => {
    while (done.has(first)) first += 1
    if (first === calls.length) return true
    const key = `${first}|${[...done]
      .filter((at) => at > first)
      .toSorted(byNumber)
      .join()}|${toKey(state)}`
    if (seen.has(key)) return false
    seen.add(key)
    for (const at of candidates(calls, done, first)) {
      const call = calls[at]
      if (call === undefined) continue
      for (const next of apply(state, call, clocks)) {
        done.add(at)
        if (done.size > explained) {
          explained = done.size
          stuckAt = calls[first]
        }
        if (search(next, first)) return true
        done.delete(at)
      }
    }
    return false
  }

  const ok = search(START, 0)
  return { ok, explained, calls: calls.length, ...(!ok && stuckAt !== undefined && { stuckAt }) }
}

/** Calls that may come next: none that has to wait for another to have ended before it began. */
function candidates(calls: readonly Call[], done: ReadonlySet<number>, first: number): number[] {
  const found: number[] = []
  let earliestEnd = Number.POSITIVE_INFINITY
  for (let at = first; at < calls.length; at += 1) {
    const call = calls[at]
    if (call === undefined || call.start > earliestEnd) break
    if (done.has(at)) continue
    found.push(at)
    earliestEnd = Math.min(earliestEnd, call.end)
  }
  return found
}

/** What the task is after the call, if the call can have had this outcome now; nothing if it cannot. */
function apply(before: State, call: Call, clocks: 'right' | 'wrong'): State[] {
  const soonest = Math.max(before.clock, call.start)
  if (soonest > call.end) return []
  const isTimed = clocks === 'right'
  const whileHeld = before.holder !== null && !(isTimed && soonest >= before.expiresAt)
  const afterwards = isTimed ? Math.max(soonest, before.expiresAt) : soonest
  const states: { state: State; held: boolean }[] = []
  if (before.holder === null) states.push({ state: { ...before, clock: soonest }, held: false })
  if (whileHeld) states.push({ state: { ...before, clock: soonest }, held: true })
  if (before.holder !== null && afterwards <= call.end && call.kind === 'write') {
    // A mere write takes nothing back; the next call on the lease will.
    states.push({ state: { ...before, clock: afterwards }, held: false })
  } else if (before.holder !== null && afterwards <= call.end) {
    const swept = { ...before, lost: before.lost + 1, clock: afterwards }
    states.push({ state: given(swept), held: false })
  }
  return states.flatMap(({ state, held }) => {
    const after = answer(state, held, call)
    // What is refused is taken back whole, also that a lease had run out by the clock of whoever asked.
    const isTakenBack = !isTimed && call.outcome.is === 'refused'
    return isTakenBack ? after.map(() => ({ ...before, clock: state.clock })) : after
  })
}

function answer(state: State, held: boolean, call: Call): State[] {
  const { outcome } = call
  const mine = held && state.holder === call.agent
  // A fence ends with its lease; the one that closed the task stays good, so that the call can be repeated.
  const isOver = state.closed && state.holder === null
  const free = { holder: null, attempts: 0, lost: 0, parked: false }
  switch (call.kind) {
    case 'claim':
      return claim(state, held, call)
    case 'renew': {
      const fits = mine && call.fence === state.fence
      if (outcome.is === 'renewed') {
        return fits ? [{ ...state, expiresAt: outcome.expiresAt }] : []
      }
      return fits ? [] : [state]
    }
    case 'release': {
      const fits = mine && call.fence === state.fence
      if (outcome.is === 'done') return fits ? [given(state)] : []
      return fits ? [] : [state]
    }
    case 'write': {
      const fits = call.fence === state.fence && (mine || isOver)
      if (outcome.is === 'done') return fits ? [state] : []
      return fits ? [] : [state]
    }
    case 'complete': {
      const fits = call.fence === state.fence && (mine || isOver)
      if (state.closed) return outcome.is === (fits ? 'unchanged' : 'refused') ? [state] : []
      if (outcome.is === 'done') return fits ? [{ ...state, ...free, closed: true }] : []
      return fits || outcome.is === 'unchanged' ? [] : [state]
    }
    case 'reopen': {
      if (held && !mine) return outcome.is === 'refused' ? [state] : []
      const changes = state.closed || state.parked
      // A fence from before the reopening is no good any more.
      const fence = state.fence === 0 ? 0 : state.fence + 1
      if (outcome.is === 'done') return changes ? [{ ...state, ...free, fence, closed: false }] : []
      return changes ? [] : [state]
    }
  }
}

/** Nobody's again, and set aside if it came to nothing too often. */
function given(state: State): State {
  const parked = state.lost >= LOST_ALLOWED || state.attempts >= ATTEMPTS_ALLOWED
  return { ...state, holder: null, parked }
}

function claim(state: State, held: boolean, { agent, outcome }: Call): State[] {
  const attempts = state.attempts + 1
  if (outcome.is === 'granted') {
    const fits = !held && !state.closed && !state.parked && outcome.fence === state.fence + 1
    const { fence, expiresAt } = outcome
    return fits ? [{ ...state, fence, attempts, holder: agent, expiresAt }] : []
  }
  if (outcome.is === 'renewed') {
    const fits = held && state.holder === agent && outcome.fence === state.fence
    const mayBegin = state.attempts < ATTEMPTS_ALLOWED
    return fits && mayBegin ? [{ ...state, attempts, expiresAt: outcome.expiresAt }] : []
  }
  if (outcome.is !== 'refused') return []
  switch (outcome.reason) {
    case 'held':
      return held && state.holder !== agent ? [state] : []
    case 'closed':
      return !held && state.closed ? [state] : []
    case 'parked': {
      const beganTooOften = held && state.holder === agent && state.attempts >= ATTEMPTS_ALLOWED
      return beganTooOften || (!held && state.parked && !state.closed) ? [state] : []
    }
    default:
      return []
  }
}

function toKey(state: State): string {
  const { fence, holder, expiresAt, attempts, lost, parked, closed, clock } = state
  return [fence, holder, expiresAt, attempts, lost, parked, closed, clock].join()
}

function byNumber(one: number, other: number): number {
  return one - other
}
