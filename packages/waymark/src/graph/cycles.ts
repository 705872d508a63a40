import type { EntityId } from '../entity/entity-id.ts'

/** Adjacency list: the targets of each entity. */
type Targets = ReadonlyMap<EntityId, readonly EntityId[]>

/** Steps between two yields. */
const STEPS_AT_ONCE = 5_000

/** Cycles in a graph: the shortest cycle of every strongly connected component. */
export function* findCycles(targets: Targets): Generator<void, readonly (readonly EntityId[])[]> {
  const cycles: (readonly EntityId[])[] = []
  for (const group of yield* groupsOf(targets)) {
    const [first] = group
    if (group.length > 1 || loops(targets, first)) {
      cycles.push(yield* shortestCycle(new Set(group), targets))
    }
  }
  return cycles
}

function loops(targets: Targets, id: EntityId | undefined): boolean {
  return id !== undefined && targets.get(id)?.includes(id) === true
}

interface Visit {
  readonly id: EntityId
  readonly rest: Iterator<EntityId>
}

/** Tarjan's strongly connected components, with its own stack: a chain of 100,000 must not overflow the engine's. */
function* groupsOf(targets: Targets): Generator<void, EntityId[][]> {
  const order = new Map<EntityId, number>()
  const low = new Map<EntityId, number>()
  const open: EntityId[] = []
  const isOpen = new Set<EntityId>()
  const groups: EntityId[][] = []

  const enter = (id: EntityId): Visit => {
    order.set(id, order.size)
    low.set(id, order.size - 1)
    open.push(id)
    isOpen.add(id)
    return { id, rest: (targets.get(id) ?? []).values() }
  }
  const reach = (id: EntityId, other: number): void => {
    low.set(id, Math.min(low.get(id) ?? other, other))
  }
  const leave = (id: EntityId): void => {
    if (low.get(id) !== order.get(id)) return
    const group = open.splice(open.lastIndexOf(id))
    for (const member of group) isOpen.delete(member)
    groups.push(group)
  }

  let steps = 0
  for (const start of targets.keys()) {
    if (order.has(start)) continue
    const visits = [enter(start)]
    for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
      steps += 1
      if (steps % STEPS_AT_ONCE === 0) yield
      const { value: next, done } = visit.rest.next()
      if (done === true) {
        visits.pop()
        leave(visit.id)
        const parent = visits.at(-1)
        if (parent !== undefined) reach(parent.id, low.get(visit.id) ?? 0)
      } else if (!order.has(next)) {
        visits.push(enter(next))
      } else if (isOpen.has(next)) {
        reach(visit.id, order.get(next) ?? 0)
      }
    }
  }
  return groups
}

/** Step limit of the search for a shorter cycle in a large component; a longer cycle is returned instead. */
const MOST_STEPS = 1_000_000
const MOST_SORTED = 10_000

function* shortestCycle(
  group: ReadonlySet<EntityId>,
  targets: Targets,
): Generator<void, EntityId[]> {
  const search = { group, targets, stepsLeft: MOST_STEPS }
  // Large components are not sorted: that would block the event loop.
  const starts = group.size > MOST_SORTED ? group : [...group].toSorted()
  let shortest: EntityId[] | undefined
  for (const start of starts) {
    shortest = (yield* cycleThrough(start, search, shortest?.length ?? Infinity)) ?? shortest
    if (shortest !== undefined && search.stepsLeft <= 0) break
  }
  return shortest ?? []
}

interface CycleSearch {
  readonly group: ReadonlySet<EntityId>
  readonly targets: Targets
  stepsLeft: number
}

/** The shortest way from `start` back to it inside the group, if it has fewer than `bound` members. */
function* cycleThrough(
  start: EntityId,
  search: CycleSearch,
  bound: number,
): Generator<void, EntityId[] | undefined> {
  const cameFrom = new Map<EntityId, EntityId>()
  const length = new Map([[start, 1]])
  for (const [id, members] of length) {
    if (members >= bound) return undefined
    for (const next of search.targets.get(id) ?? []) {
      search.stepsLeft -= 1
      if (search.stepsLeft % STEPS_AT_ONCE === 0) yield
      if (next === start) return pathTo(id, cameFrom)
      if (!search.group.has(next) || length.has(next)) continue
      cameFrom.set(next, id)
      length.set(next, members + 1)
    }
  }
  return undefined
}

function pathTo(end: EntityId, cameFrom: ReadonlyMap<EntityId, EntityId>): EntityId[] {
  const path: EntityId[] = []
  for (let id: EntityId | undefined = end; id !== undefined; id = cameFrom.get(id)) path.push(id)
  return path.toReversed()
}
