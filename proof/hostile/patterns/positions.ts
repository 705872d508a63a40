import type { Node } from './parse-pattern.ts'

/** How often a thing is possible; more than twice is no worse than twice. */
type Ways = Map<number, number>

/** The places in an expression that take a character, and which of them can come directly after which. */
export interface Positions {
  /** By place: the expression of the one character that it takes. */
  readonly sets: readonly string[]
  /** By place: what can come next, and in how many ways it can come to that. */
  readonly next: readonly ReadonlyMap<number, number>[]
}

interface Part {
  readonly first: Ways
  readonly last: Ways
  /** In how many ways it can take nothing at all. */
  readonly empty: number
}

const NOTHING: Part = { first: new Map(), last: new Map(), empty: 1 }

/** Copies of what is repeated a fixed number of times are made up to here; then the number is taken for any number. */
const COPIES = 4

export function toPositions(node: Node): Positions {
  const sets: string[] = []
  const next: Ways[] = []

  const connect = (from: Ways, to: Ways): void => {
    for (const [place, ways] of from) addAll(next[place] ?? new Map(), to, ways)
  }

  const visit = (node: Node): Part => {
    switch (node.kind) {
      case 'character': {
        const place = sets.push(node.set) - 1
        next.push(new Map())
        return { first: new Map([[place, 1]]), last: new Map([[place, 1]]), empty: 0 }
      }
      case 'sequence':
        return node.parts.map(visit).reduce(join, NOTHING)
      case 'choice': {
        const first: Ways = new Map()
        const last: Ways = new Map()
        let empty = 0
        for (const part of node.parts.map(visit)) {
          addAll(first, part.first, 1)
          addAll(last, part.last, 1)
          empty += part.empty
        }
        return { first, last, empty: Math.min(2, empty) }
      }
      case 'repeat':
        return visitRepeat(node)
    }
  }

  const join = (one: Part, other: Part): Part => {
    connect(one.last, other.first)
    const first = new Map(one.first)
    addAll(first, other.first, one.empty)
    const last = new Map(other.last)
    addAll(last, one.last, other.empty)
    return { first, last, empty: Math.min(2, one.empty * other.empty) }
  }

  const visitRepeat = ({ part, min, max }: Extract<Node, { kind: 'repeat' }>): Part => {
    const parts: Part[] = []
    for (let copy = 0; copy < Math.min(min, COPIES); copy += 1) parts.push(visit(part))
    if (max > COPIES) {
      const again = visit(part)
      connect(again.last, again.first)
      // A turn that takes nothing does not count as one.
      parts.push({ ...again, empty: 1 })
    } else {
      parts.push(upTo(part, max - min))
    }
    return parts.reduce(join, NOTHING)
  }

  /** One inside the other: a second copy can only follow the first. */
  const upTo = (part: Node, times: number): Part =>
    times === 0 ? NOTHING : { ...join(visit(part), upTo(part, times - 1)), empty: 1 }

  visit(node)
  return { sets, next }
}

function addAll(target: Ways, added: ReadonlyMap<number, number>, times: number): void {
  if (times === 0) return
  for (const [place, ways] of added) {
    target.set(place, Math.min(2, (target.get(place) ?? 0) + ways * times))
  }
}
