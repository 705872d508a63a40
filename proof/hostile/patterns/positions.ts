import type { Node } from './parse-pattern.ts'

/** How often a thing is possible; more than twice is no worse than twice. */
type Ways = Map<number, number>

/** The places in an expression that take a character, and which of them can come directly after which. */
export interface Positions {
  /** By place: the expression of the one character that it takes. */
  readonly sets: readonly string[]
  /** By place: what can come next, and in how many ways it can come to that. */
  readonly next: readonly ReadonlyMap<number, number>[]
  /** Places with which the expression has matched, whatever comes after them. */
  readonly ends: ReadonlySet<number>
}

interface Part {
  readonly first: Ways
  readonly last: Ways
  /** In how many ways it can take nothing at all. */
  readonly empty: number
  /** Of the last ones those after which nothing is left to be asked. */
  readonly ends: ReadonlySet<number>
  /** It can take nothing without asking anything. */
  readonly isOptional: boolean
}

const NOTHING: Part = {
  first: new Map(),
  last: new Map(),
  empty: 1,
  ends: new Set(),
  isOptional: true,
}

/** Copies of what is repeated a fixed number of times are made up to here. */
const COPIES = 4

/** What is repeated more than `most` times is taken for something that is repeated any number of times. */
export function toPositions(root: Node, most = COPIES): Positions {
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
        const only: Ways = new Map([[place, 1]])
        return { first: only, last: only, empty: 0, ends: new Set([place]), isOptional: false }
      }
      case 'assertion':
        return { ...NOTHING, isOptional: false }
      case 'aside':
        return { ...NOTHING, first: visit(node.part).first, isOptional: false }
      case 'sequence':
        return node.parts.map(visit).reduce(join, NOTHING)
      case 'choice': {
        const first: Ways = new Map()
        const last: Ways = new Map()
        const parts = node.parts.map(visit)
        let empty = 0
        for (const part of parts) {
          addAll(first, part.first, 1)
          addAll(last, part.last, 1)
          empty += part.empty
        }
        return {
          first,
          last,
          empty: Math.min(2, empty),
          ends: new Set(parts.flatMap(({ ends }) => [...ends])),
          isOptional: parts.some(({ isOptional }) => isOptional),
        }
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
    return {
      first,
      last,
      empty: Math.min(2, one.empty * other.empty),
      ends: new Set([...other.ends, ...(other.isOptional ? one.ends : [])]),
      isOptional: one.isOptional && other.isOptional,
    }
  }

  const visitRepeat = ({ part, min, max }: Extract<Node, { kind: 'repeat' }>): Part => {
    const parts: Part[] = []
    for (let copy = 0; copy < Math.min(min, COPIES); copy += 1) parts.push(visit(part))
    if (max > most) {
      const again = visit(part)
      connect(again.last, again.first)
      // A turn that takes nothing does not count as one.
      parts.push({ ...again, empty: 1, isOptional: true })
    } else {
      parts.push(upTo(part, Math.min(max, COPIES) - Math.min(min, COPIES)))
    }
    return parts.reduce(join, NOTHING)
  }

  /** One inside the other: a second copy can only follow the first. */
  const upTo = (part: Node, times: number): Part =>
    times === 0
      ? NOTHING
      : { ...join(visit(part), upTo(part, times - 1)), empty: 1, isOptional: true }

  const { ends } = visit(root)
  return { sets, next, ends }
}

function addAll(target: Ways, added: ReadonlyMap<number, number>, times: number): void {
  if (times === 0) return
  for (const [place, ways] of added) {
    target.set(place, Math.min(2, (target.get(place) ?? 0) + ways * times))
  }
}
