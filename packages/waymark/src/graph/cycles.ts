/** Adjacency list: the targets of each entity. */
type Targets = ReadonlyMap<string, readonly string[]>

/** Steps between two yields. */
const STEPS_AT_ONCE = 5_000

/** Cycles in a graph: the shortest cycle of every strongly connected component. */
export function* findCycles(targets: Targets): Generator<void, readonly (readonly string[])[]> {
  const cycles: (readonly string[])[] = []
  for (const group of yield* groupsOf(targets)) {
    const [first] = group
    if (group.length > 1 || loops(targets, first)) {
      cycles.push(yield* shortestCycle(new Set(group), targets))
    }
  }
  return cycles
}

function loops(targets: Targets, id: string | undefined): boolean {
  return id !== undefined && targets.get(id)?.includes(id) === true
}

interface Visit {
  readonly id: string
  readonly rest: Iterator<string>
}

/** Tarjan's strongly connected components, with its own stack: a chain of 100,000 must not overflow the engine's. */
function* groupsOf(targets: Targets): Generator<void, string[][]> {
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const open: string[] = []
  const isOpen = new Set<string>()
  const groups: string[][] = []

  const enter = (id: string): Visit => {
    order.set(id, order.size)
    low.set(id, order.size - 1)
    open.push(id)
    isOpen.add(id)
    return { id, rest: (targets.get(id) ?? []).values() }
  }
  const reach = (id: string, other: number): void => {
    low.set(id, Math.min(low.get(id) ?? other, other))
  }
  const leave = (id: string): void => {
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

function* shortestCycle(group: ReadonlySet<string>, targets: Targets): Generator<void, string[]> {
  const search = { group, targets, stepsLeft: MOST_STEPS }
  // Large components are not sorted: that would block the event loop.
  const starts = group.size > MOST_SORTED ? group : [...group].toSorted()
  let shortest: string[] | undefined
  for (const start of starts) {
    shortest = (yield* cycleThrough(start, search, shortest?.length ?? Infinity)) ?? shortest
    if (shortest !== undefined && search.stepsLeft <= 0) break
  }
  return shortest ?? []
}

interface CycleSearch {
  readonly group: ReadonlySet<string>
  readonly targets: Targets
  stepsLeft: number
}

/** The shortest way from `start` back to it inside the group, if it has fewer than `bound` members. */
function* cycleThrough(
  start: string,
  search: CycleSearch,
  bound: number,
): Generator<void, string[] | undefined> {
  const cameFrom = new Map<string, string>()
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

function pathTo(end: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const path: string[] = []
  for (let id: string | undefined = end; id !== undefined; id = cameFrom.get(id)) path.push(id)
  return path.toReversed()
}
