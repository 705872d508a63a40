import { estimateTokens } from '../support/text/token-estimate.ts'

/** The parts of a brief, what matters most first. */
export const BRIEF_PARTS = [
  'leases',
  'messages',
  'reserved',
  'notes',
  'ready',
  'decisions',
  'code',
  'changed_twice',
  'questions',
  'agents',
  'changes',
] as const
export type BriefPart = (typeof BRIEF_PARTS)[number]

type Parts = { readonly [P in BriefPart]: readonly unknown[] }

/** Items taken per part and round. */
const AT_A_TIME = 2

/** Fills the budget round-robin, so that no part starves another, and counts the omitted items. */
export function fitBrief<P extends Parts>(
  parts: P,
  maxTokens: number,
): { readonly kept: P; readonly leftOut: Partial<Record<BriefPart, number>> } {
  const taken: Record<BriefPart, number> = {
    leases: 0,
    messages: 0,
    reserved: 0,
    notes: 0,
    ready: 0,
    decisions: 0,
    code: 0,
    changed_twice: 0,
    questions: 0,
    agents: 0,
    changes: 0,
  }
  const isFull = new Set<BriefPart>()
  let left = maxTokens
  while (isFull.size < BRIEF_PARTS.length) {
    for (const part of BRIEF_PARTS) {
      const turn = parts[part].slice(taken[part], taken[part] + AT_A_TIME)
      if (turn.length < AT_A_TIME) isFull.add(part)
      for (const item of turn) {
        const cost = estimateTokens(JSON.stringify(item))
        if (cost > left) {
          isFull.add(part)
          break
        }
        left -= cost
        taken[part] += 1
      }
    }
  }
  const entries = BRIEF_PARTS.map((part) => [part, parts[part].slice(0, taken[part])] as const)
  const missing = BRIEF_PARTS.map((part) => [part, parts[part].length - taken[part]] as const)
  return {
    kept: { ...parts, ...Object.fromEntries(entries) },
    leftOut: Object.fromEntries(missing.filter(([, count]) => count > 0)),
  }
}

interface Named {
  readonly number: number
}

/** The facts that decide the next step. */
export interface WorkState {
  readonly leases: readonly (Named & { readonly seconds_left: number })[]
  readonly messages: readonly {
    readonly id: number
    readonly severity: string
    readonly from_owner?: true | undefined
  }[]
  readonly unread: number
  readonly ready: readonly Named[]
  readonly blocked: number
  /** Numbers of tasks that wait for each other. */
  readonly cycle?: readonly number[] | undefined
  /** Numbers of tasks that only this agent is not offered, because it has just given them back. */
  readonly released?: readonly number[] | undefined
  /** Numbers of tasks that this agent is not offered, because they are assigned to others. */
  readonly assigned?: readonly number[] | undefined
}

/** A lease that ends sooner than this is renewed before anything else. */
const URGENT_SECONDS = 120

/** The next step. Contains no titles: stored text must not read like an instruction from Waymark. */
export function nextStep(state: WorkState): string {
  const { leases, messages, unread, ready, blocked, cycle, released = [], assigned = [] } = state
  const ending = leases.find(({ seconds_left }) => seconds_left < URGENT_SECONDS)
  if (ending !== undefined) {
    return `Renew #${ending.number} now: your lease ends in ${ending.seconds_left} s.`
  }
  const blocker = messages.find(({ severity }) => severity === 'blocker')
  if (blocker !== undefined)
    return `Read message ${blocker.id} first: another agent is blocked by you.`
  const word = messages.find(({ from_owner }) => from_owner === true)
  if (word !== undefined) return `Read message ${word.id}: the owner wrote to you.`
  const [held] = leases
  if (held !== undefined) return `Go on with #${held.number}.`
  if (unread > 0) return `Read your inbox: ${unread} unread.`
  const [task] = ready
  if (task !== undefined) return `Claim #${task.number}.`
  if (released.length > 0) {
    return `Nothing else is ready: you gave back ${toNumbers(released)}; claim it by its number if you can go on.`
  }
  if (assigned.length > 0) {
    const are = assigned.length === 1 ? 'is' : 'are'
    return `Nothing is ready for you: ${toNumbers(assigned)} ${are} assigned to others; claim one by its number to take it over.`
  }
  if (cycle !== undefined) {
    return `Nothing is ready: ${toNumbers(cycle)} wait for each other; delete one of the relations.`
  }
  if (blocked > 0) return `Nothing is ready: ${blocked} open, all blocked or held by others.`
  return 'No open tasks. Ask what to do, or write down a plan as tasks.'
}

function toNumbers(numbers: readonly number[]): string {
  return numbers.map((number) => `#${number}`).join(', ')
}
