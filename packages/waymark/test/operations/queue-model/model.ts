/** The queue in a few lines of plain code: what the real one must agree with. */
export interface ModelTask {
  readonly id: string
  readonly number: number
  readonly priority: number
  readonly due: string | undefined
  readonly needsVerification: boolean
  status: 'todo' | 'in_progress' | 'blocked' | 'done' | 'cancelled'
  verified: boolean
  deferUntil: number
  readonly blockers: Set<ModelTask>
  readonly wholes: Set<ModelTask>
  fence: number
  lease: { agent: string; expiresAt: number; started: boolean } | undefined
  /** The agent that released it with a reason, and until when it is not offered to it. */
  withheld: { readonly agent: string; readonly until: number } | undefined
  lost: number
  parked: boolean
  deleted: boolean
}

/** A task that nobody has touched. */
export function newModelTask(
  known: Pick<ModelTask, 'id' | 'number' | 'priority' | 'due' | 'needsVerification'>,
): ModelTask {
  return {
    ...known,
    status: 'todo',
    verified: false,
    deferUntil: 0,
    blockers: new Set(),
    wholes: new Set(),
    fence: 0,
    lease: undefined,
    withheld: undefined,
    lost: 0,
    parked: false,
    deleted: false,
  }
}

export interface Model {
  readonly tasks: ModelTask[]
  now: number
}

/** That a task can also be begun too often, or kept for so long that this is forgiven, does not show in so few steps. */
const LOST_ALLOWED = 3
const NO_DATE = '9999-99-99'

export function isOpen({ status }: ModelTask): boolean {
  return status !== 'done' && status !== 'cancelled'
}

function isResolved(task: ModelTask): boolean {
  if (task.status === 'cancelled') return true
  return task.status === 'done' && (!task.needsVerification || task.verified)
}

export function unresolvedBlockers({ blockers }: ModelTask): ModelTask[] {
  return [...blockers].filter((blocker) => !blocker.deleted && !isResolved(blocker))
}

export function isBlocked(task: ModelTask): boolean {
  if (unresolvedBlockers(task).length > 0) return true
  return [...task.wholes].some((whole) => !whole.deleted && isOpen(whole) && isBlocked(whole))
}

export function hasOpenParts({ tasks }: Model, task: ModelTask): boolean {
  return tasks.some((part) => !part.deleted && part.wholes.has(task) && isOpen(part))
}

function isReady(model: Model, task: ModelTask): boolean {
  if (task.deleted || !isOpen(task) || task.status === 'blocked') return false
  return !isBlocked(task) && !hasOpenParts(model, task) && task.deferUntil <= model.now
}

export function isHeld(model: Model, { lease }: ModelTask): boolean {
  return lease !== undefined && lease.expiresAt > model.now
}

export function inOrder(tasks: readonly ModelTask[]): ModelTask[] {
  return tasks.toSorted(
    (one, other) =>
      one.priority - other.priority ||
      compare(one.due ?? NO_DATE, other.due ?? NO_DATE) ||
      one.number - other.number,
  )
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

export function ready(model: Model): ModelTask[] {
  return inOrder(model.tasks.filter((task) => isReady(model, task)))
}

export function blocked({ tasks }: Model): ModelTask[] {
  const isListed = (task: ModelTask) => task.status === 'blocked' || isBlocked(task)
  return inOrder(tasks.filter((task) => !task.deleted && isOpen(task) && isListed(task)))
}

export function claimable(model: Model, agent: string): ModelTask[] {
  const isWithheld = ({ withheld }: ModelTask) =>
    withheld?.agent === agent && withheld.until > model.now
  const isParked = ({ parked, lease, lost }: ModelTask) =>
    parked || (lease !== undefined && lost + 1 >= LOST_ALLOWED)
  return ready(model).filter((task) => !isHeld(model, task) && !isParked(task) && !isWithheld(task))
}

/** Offers again what this task blocked, with all parts of it, and what it was a part of. */
export function offerAgain(model: Model, closed: ModelTask): void {
  const dependants = new Set(model.tasks.filter(({ blockers }) => blockers.has(closed)))
  for (const dependant of dependants) {
    if (!isOpen(dependant) || dependant.deleted) continue
    for (const part of model.tasks) if (part.wholes.has(dependant)) dependants.add(part)
  }
  for (const task of [...dependants, ...closed.wholes]) {
    if (isReady({ ...model, now: Infinity }, task)) task.withheld = undefined
  }
}

/** What every operation on leases does first. */
function sweep(model: Model): void {
  for (const task of model.tasks) {
    if (task.lease === undefined || isHeld(model, task)) continue
    if (task.lease.started && task.status === 'in_progress') task.status = 'todo'
    task.lease = undefined
    task.lost += 1
    task.parked ||= task.lost >= LOST_ALLOWED
  }
}

/** Sweeps, then does `work`; what is refused leaves everything as it was, like a transaction that is taken back. */
export async function afterSweep(model: Model, work: () => Promise<string>): Promise<void> {
  const before = model.tasks.map((task) => ({ ...task }))
  sweep(model)
  if ((await work()) === 'done') return
  for (const [at, task] of model.tasks.entries()) Object.assign(task, before[at])
}

export function free(task: ModelTask): void {
  task.lease = undefined
  task.withheld = undefined
  task.lost = 0
  task.parked = false
}

/** Whether an edge from one task to another would close a circle. */
export function reaches(
  from: ModelTask,
  to: ModelTask,
  edges: (task: ModelTask) => Iterable<ModelTask>,
): boolean {
  if (from === to) return true
  return [...edges(from)].some((next) => !next.deleted && reaches(next, to, edges))
}
