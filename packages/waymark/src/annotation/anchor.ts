import { distanceBetween } from '../search/text/spelling.ts'
import { isFields } from '../support/json-shape.ts'
import { isLineRange, type LineRange } from './record.ts'

/** A named piece of code: a function, a method, a type, a constant. */
export interface Unit {
  /** function, method, constructor, class, struct, interface, enum, type_alias, constant, module and so on. */
  readonly type: string
  /** Qualified as the language does it: `Client::connect`, `Client.connect`. */
  readonly name: string
  /** The head of the declaration on one line. */
  readonly signature: string
  readonly lines: LineRange
  /** Declared inside a function body: can be looked up, but is not in the file's outline. */
  readonly nested?: true
  readonly contentHash: string
  readonly signatureHash: string
}

export function isUnit(value: unknown): value is Unit {
  if (!isFields(value)) return false
  const { type, name, signature, lines, nested, contentHash, signatureHash } = value
  const texts = [type, name, signature, contentHash, signatureHash]
  return (
    texts.every((text) => typeof text === 'string') &&
    isLineRange(lines) &&
    (nested === undefined || nested === true)
  )
}

export interface ExactMatch {
  readonly kind: 'exact' | 'qualified'
  readonly units: readonly Unit[]
}

/** How well a typed name matches a unit. `qualified`: one of the two names has a longer prefix. */
export type AnchorMatch =
  | ExactMatch
  | { readonly kind: 'fuzzy'; readonly units: readonly Unit[]; readonly distance: number }

const MOST_ERRORS = 3
/** Longer names are copied, not typed, so they are not corrected. */
const LONGEST_GUESSED = 100
/** Longer names match no unit. */
export const LONGEST_NAME = 1000

/** The units with the best kind of match for `name`; undefined if none is close. */
export function resolveAnchor(units: readonly Unit[], name: string): AnchorMatch | undefined {
  const wanted = segmentsOf(name)
  return wanted.length === 0
    ? undefined
    : (findNamed(units, wanted) ?? resolveFuzzily(units, wanted))
}

/** As above without typo correction: only units whose name ends in `name`. */
export function unitsNamed(units: readonly Unit[], name: string): readonly Unit[] {
  return findNamed(units, segmentsOf(name))?.units ?? []
}

/** Units with exactly this qualified name, however its parts are joined. */
export function unitsCalled(units: readonly Unit[], name: string): readonly Unit[] {
  const wanted = segmentsOf(name)
  const sameLeaf = byLeaf(units).get(wanted.at(-1) ?? '') ?? []
  return sameLeaf.filter((unit) => isSame(segmentsOf(unit.name), wanted))
}

const PLAIN_LEAF = /^[\p{L}\p{N}_$]+$/u
const WORD = /[\p{L}\p{N}_]/u
const ENDS_IN_WORD = /[\p{L}\p{N}_]$/u

/** False only if no unit of the text can have this name: what a unit is called stands in its text. */
export function isMentioned(text: string, name: string): boolean {
  const leaf = leafOf(name)
  if (!PLAIN_LEAF.test(leaf)) return true
  for (let at = text.indexOf(leaf); at !== -1; at = text.indexOf(leaf, at + 1)) {
    const after = text.codePointAt(at + leaf.length)
    const isWhole = !ENDS_IN_WORD.test(text.slice(Math.max(0, at - 2), at))
    if (isWhole && (after === undefined || !WORD.test(String.fromCodePoint(after)))) return true
  }
  return false
}

/** Whether two qualified names are the same, however their parts are joined. */
export function isSameName(one: string, other: string): boolean {
  return one === other || isSame(segmentsOf(one), segmentsOf(other))
}

/** Whether two names end in the same part. */
export function isSameLeaf(one: string, other: string): boolean {
  return leafOf(one) === leafOf(other)
}

function findNamed(units: readonly Unit[], wanted: readonly string[]): ExactMatch | undefined {
  const sameLast = byLeaf(units).get(wanted.at(-1) ?? '') ?? []
  if (sameLast.length === 0 || wanted.length === 0) return undefined
  const exact = preferOuter(sameLast.filter((unit) => isSame(segmentsOf(unit.name), wanted)))
  if (exact.length > 0) return { kind: 'exact', units: exact }
  const related = sameLast.filter((unit) => isSuffix(segmentsOf(unit.name), wanted))
  return related.length === 0 ? undefined : { kind: 'qualified', units: preferOuter(related) }
}

const LEAVES = new WeakMap<readonly Unit[], ReadonlyMap<string, readonly Unit[]>>()

/** Index of a file's units by the last part of their names: thousands of units, one lookup per annotation. */
function byLeaf(units: readonly Unit[]): ReadonlyMap<string, readonly Unit[]> {
  const known = LEAVES.get(units)
  if (known !== undefined) return known
  const leaves = new Map<string, Unit[]>()
  for (const unit of units) {
    const leaf = leafOf(unit.name)
    const same = leaves.get(leaf)
    if (same === undefined) leaves.set(leaf, [unit])
    else same.push(unit)
  }
  LEAVES.set(units, leaves)
  return leaves
}

/** Whether two names can mean the same unit: `connect`, `Client.connect` and `net::Client::connect` can. */
export function isSameAnchor(one: string, other: string): boolean {
  return isSuffix(segmentsOf(one), segmentsOf(other))
}

/** The last part of a qualified name: the lookup key, independent of how the name was qualified. */
export function leafOf(name: string): string {
  return segmentsOf(name).at(-1) ?? ''
}

function resolveFuzzily(
  units: readonly Unit[],
  wanted: readonly string[],
): AnchorMatch | undefined {
  const typed = (wanted.at(-1) ?? '').toLowerCase()
  // Two typos in three letters would match any short name.
  const allowed = Math.min(MOST_ERRORS, Math.floor(typed.length / 3))
  if (typed.length > LONGEST_GUESSED) return undefined
  let nearest: Unit[] = []
  let least = allowed
  for (const [leaf, same] of byLeaf(units)) {
    const distance = distanceBetween(typed, leaf.toLowerCase(), least)
    if (distance > least) continue
    if (distance < least) nearest = []
    least = distance
    nearest.push(...same)
  }
  if (nearest.length === 0) return undefined
  const found = new Set(nearest)
  const inOrder = units.filter((unit) => found.has(unit))
  return { kind: 'fuzzy', units: preferOuter(inOrder), distance: least }
}

const COMPUTED = /(^|[.#])(\[[^[\]]*\])$/

/** `::`, `.`, `#`, `/` and `\` all mean "in"; type arguments and call brackets are no part of a name. */
export function segmentsOf(name: string): readonly string[] {
  const short = name.slice(0, LONGEST_NAME)
  // `Pool.[Symbol.dispose]` is a name of its own, and not the pool.
  const computed = COMPUTED.exec(short)
  const plain = computed === null ? short : short.slice(0, computed.index)
  const segments = withoutBrackets(plain)
    .split(/::|[.#/\\]/)
    .map((segment) => segment.trim())
    .filter((segment) => segment !== '')
  return computed === null ? segments : [...segments, computed[2] ?? '']
}

/** Strips innermost angle brackets, and everything from the first round or square bracket to the last. */
function withoutBrackets(name: string): string {
  if (!/[<([]/.test(name)) return name
  const [lastRound, lastSquare] = [name.lastIndexOf(')'), name.lastIndexOf(']')]
  let kept = ''
  for (let at = 0; at < name.length; at += 1) {
    const letter = name.charAt(at)
    const end =
      letter === '(' ? lastRound : letter === '[' ? lastSquare : endOfAngle(name, letter, at)
    if (end > at) at = end
    else kept += letter
  }
  return kept
}

function endOfAngle(name: string, letter: string, at: number): number {
  if (letter !== '<') return at
  const inner = /[<>]/.exec(name.slice(at + 1))
  return inner?.[0] === '>' ? at + 1 + inner.index : at
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((segment, at) => segment === other[at])
}

/** The shorter list is the end of the longer one. */
function isSuffix(one: readonly string[], other: readonly string[]): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  return short.length > 0 && isSame(short, long.slice(long.length - short.length))
}

/** Prefers units outside of function bodies. */
function preferOuter(units: readonly Unit[]): readonly Unit[] {
  const outer = units.filter(({ nested }) => nested !== true)
  return outer.length > 0 ? outer : units
}
