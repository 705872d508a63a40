import type { GraphEdge } from './graph.ts'

/** Circles in a graph: for every group of entities that reach each other, the shortest way round. */
export function findCycles(edges: readonly GraphEdge[]): readonly (readonly string[])[] {
  const targets = new Map<string, string[]>()
  for (const { sourceId, targetId } of edges) {
    const known = targets.get(sourceId)
    if (known === undefined) targets.set(sourceId, [targetId])
    else known.push(targetId)
  }
  return groupsOf(targets)
    .filter(([first, ...more]) => more.length > 0 || loops(targets, first))
    .map((group) => shortestCycle(new Set(group), targets))
}

function loops(targets: ReadonlyMap<string, readonly string[]>, id: string | undefined): boolean {
  return id !== undefined && targets.get(id)?.includes(id) === true
}

interface Visit {
  readonly id: string
  readonly rest: Iterator<string>
}

/** Tarjan's strongly connected components, with its own stack: a chain of 100,000 must not overflow the engine's. */
function groupsOf(targets: ReadonlyMap<string, readonly string[]>): string[][] {
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

  for (const start of targets.keys()) {
    if (order.has(start)) continue
    const visits = [enter(start)]
    for (let visit = visits.at(-1); visit !== undefined; visit = visits.at(-1)) {
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

/** In a large group the search for a still shorter way ends after so many steps: the answer is a circle all the same. */
const MOST_STEPS = 1_000_000

function shortestCycle(
  group: ReadonlySet<string>,
  targets: ReadonlyMap<string, readonly string[]>,
): string[] {
  const search = { group, targets, stepsLeft: MOST_STEPS }
  let shortest: string[] | undefined
  for (const start of [...group].toSorted()) {
    shortest = cycleThrough(start, search, shortest?.length ?? Infinity) ?? shortest
    if (shortest !== undefined && search.stepsLeft <= 0) break
  }
  return shortest ?? []
}

interface CycleSearch {
  readonly group: ReadonlySet<string>
  readonly targets: ReadonlyMap<string, readonly string[]>
  stepsLeft: number
}

/** The shortest way from `start` back to it inside the group, if it has fewer than `bound` members. */
function cycleThrough(start: string, search: CycleSearch, bound: number): string[] | undefined {
  const cameFrom = new Map<string, string>()
  const length = new Map([[start, 1]])
  for (const [id, members] of length) {
    if (members >= bound) return undefined
    for (const next of search.targets.get(id) ?? []) {
      search.stepsLeft -= 1
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
