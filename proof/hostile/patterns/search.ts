import { toTaken } from './characters.ts'
import type { Node } from './parse-pattern.ts'

const NOTHING: Node = { kind: 'sequence', parts: [] }
const ANYTHING: Node = {
  kind: 'repeat',
  part: { kind: 'character', set: '[^]' },
  min: 0,
  max: Number.POSITIVE_INFINITY,
}

/**
 * The expression together with what stands before it in a text that is searched for it: anything, unless it says
 * itself what must stand directly before it.
 */
export function toSearch(node: Node, flags: string): Node {
  const parts = alternativesOf(node).map((parts): Node => {
    return { kind: 'sequence', parts: [beforeOf(parts, flags), ...parts] }
  })
  return { kind: 'choice', parts }
}

/** The ways in which the expression can begin, each as a sequence that does not begin with a choice. */
function alternativesOf(node: Node): (readonly Node[])[] {
  if (node.kind === 'choice') return node.parts.flatMap(alternativesOf)
  if (node.kind !== 'sequence') return [[node]]
  const [first, ...rest] = node.parts
  if (first === undefined) return [[]]
  if (first.kind !== 'choice' && first.kind !== 'sequence') return [node.parts]
  return alternativesOf(first).flatMap((parts) =>
    parts.length === 0 ? alternativesOf({ kind: 'sequence', parts: rest }) : [[...parts, ...rest]],
  )
}

function beforeOf(parts: readonly Node[], flags: string): Node {
  for (const [index, part] of parts.entries()) {
    if (part.kind === 'assertion' && part.sign === '^' && !flags.includes('m')) return NOTHING
    const set = setBefore(part, parts.slice(index + 1), flags)
    if (set !== undefined) {
      const last: Node = { kind: 'sequence', parts: [ANYTHING, { kind: 'character', set }] }
      return { kind: 'choice', parts: [NOTHING, last] }
    }
    if (part.kind !== 'assertion' && part.kind !== 'aside') break
  }
  return ANYTHING
}

/** The expression of the character that must stand before, if this part says so. */
function setBefore(part: Node, rest: readonly Node[], flags: string): string | undefined {
  if (part.kind === 'assertion') {
    if (part.sign === '^') return String.raw`[\n\r\u2028\u2029]`
    return part.sign === String.raw`\b` ? setAtBoundary(rest, flags) : undefined
  }
  if (part.kind !== 'aside') return undefined
  const set = oneCharacter(part.part)
  if (set === undefined) return undefined
  if (part.sign === '?<=') return set
  return part.sign === '?<!' ? `(?!${set})[^]` : undefined
}

/** At a boundary a word's character has another kind of character before it. */
function setAtBoundary(rest: readonly Node[], flags: string): string | undefined {
  const firsts = firstSets({ kind: 'sequence', parts: rest })
  if (firsts === undefined) return undefined
  const [word = 0n, other = 0n, ...taken] = toTaken(['\\w', '\\W', ...firsts], flags)
  if (taken.every((each) => (each & other) === 0n)) return '\\W'
  return taken.every((each) => (each & word) === 0n) ? '\\w' : undefined
}

/** What the first character can be, unless there may be none. */
function firstSets(node: Node): string[] | undefined {
  switch (node.kind) {
    case 'character':
      return [node.set]
    case 'choice': {
      const each = node.parts.map(firstSets)
      return each.includes(undefined) ? undefined : each.flatMap((sets) => sets ?? [])
    }
    case 'repeat':
      return node.min > 0 ? firstSets(node.part) : undefined
    case 'sequence': {
      const [first, ...rest] = node.parts
      if (first === undefined) return undefined
      const sets = firstSets(first)
      if (sets !== undefined) return sets
      if (first.kind !== 'repeat') return undefined
      const later = firstSets({ kind: 'sequence', parts: rest })
      const own = firstSets(first.part)
      return later && own && [...own, ...later]
    }
    case 'assertion':
    case 'aside':
      return undefined
  }
}

/** One expression for a part that takes exactly one character, or for the beginning of the text. */
function oneCharacter(node: Node): string | undefined {
  if (node.kind === 'character') return node.set
  if (node.kind === 'sequence') {
    const [only] = node.parts
    return node.parts.length === 1 && only ? oneCharacter(only) : undefined
  }
  if (node.kind !== 'choice') return undefined
  const sets = node.parts.filter((part) => !isStart(part)).map(oneCharacter)
  return sets.includes(undefined) ? undefined : `(?:${sets.join('|')})`
}

function isStart(node: Node): boolean {
  const [only] = node.kind === 'sequence' && node.parts.length === 1 ? node.parts : [node]
  return only?.kind === 'assertion' && only.sign === '^'
}
