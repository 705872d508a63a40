import { distanceBetween } from '../search/spelling.ts'
import type { LineRange } from './record.ts'

/** A named piece of code: a function, a method, a type, a constant. */
export interface Unit {
  /** function, method, constructor, class, struct, interface, enum, type_alias, constant, module and so on. */
  readonly type: string
  /** With the names of what it stands in, joined as its language joins them: `Client::connect`, `Client.connect`. */
  readonly name: string
  /** The head of the declaration on one line. */
  readonly signature: string
  readonly lines: LineRange
  /** Stands in the body of a function: found when asked for, but no part of the file's outline. */
  readonly nested?: true
  readonly contentHash: string
  readonly signatureHash: string
}

/** How well a name that somebody typed fits a unit. `qualified` means that one of the two has more names in front. */
export type AnchorMatch =
  | { readonly kind: 'exact' | 'qualified'; readonly units: readonly Unit[] }
  | { readonly kind: 'fuzzy'; readonly units: readonly Unit[]; readonly distance: number }

const MOST_ERRORS = 3
/** What is longer names nothing. */
export const LONGEST_NAME = 1000

/** The units that `name` means, by the best kind of match there is; undefined if nothing comes near. */
export function resolveAnchor(units: readonly Unit[], name: string): AnchorMatch | undefined {
  const wanted = segmentsOf(name)
  if (wanted.length === 0) return undefined
  const exact = preferOuter(units.filter((unit) => isSame(segmentsOf(unit.name), wanted)))
  if (exact.length > 0) return { kind: 'exact', units: exact }
  const related = units.filter((unit) => isSuffix(segmentsOf(unit.name), wanted))
  if (related.length > 0) return { kind: 'qualified', units: preferOuter(related) }
  const sameLast = units.filter((unit) => segmentsOf(unit.name).at(-1) === wanted.at(-1))
  if (sameLast.length > 0) return { kind: 'qualified', units: preferOuter(sameLast) }
  return resolveFuzzily(units, wanted)
}

/** Whether two names can mean the same unit: `connect`, `Client.connect` and `net::Client::connect` can. */
export function isSameAnchor(one: string, other: string): boolean {
  return isSuffix(segmentsOf(one), segmentsOf(other))
}

/** The last part of a qualified name, by which it is found whoever qualified it how. */
export function leafOf(name: string): string {
  return segmentsOf(name).at(-1) ?? ''
}

function resolveFuzzily(
  units: readonly Unit[],
  wanted: readonly string[],
): AnchorMatch | undefined {
  const typed = (wanted.at(-1) ?? '').toLowerCase()
  // Of three letters two may not be wrong: then any short name would fit any other.
  const allowed = Math.min(MOST_ERRORS, Math.floor(typed.length / 3))
  const near = units
    .map((unit) => ({
      unit,
      distance: distanceBetween(typed, leafOf(unit.name).toLowerCase(), allowed),
    }))
    .filter(({ distance }) => distance <= allowed)
  if (near.length === 0) return undefined
  const distance = Math.min(...near.map((one) => one.distance))
  const nearest = near.filter((one) => one.distance === distance).map(({ unit }) => unit)
  return { kind: 'fuzzy', units: preferOuter(nearest), distance }
}

/** `::`, `.`, `#`, `/` and `\` all mean "in"; type arguments and call brackets are no part of a name. */
function segmentsOf(name: string): readonly string[] {
  return name
    .slice(0, LONGEST_NAME)
    .replaceAll(/<[^<>]*>|\(.*\)|\[.*\]/g, '')
    .split(/::|[.#/\\]/)
    .map((segment) => segment.trim())
    .filter((segment) => segment !== '')
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((segment, at) => segment === other[at])
}

/** The shorter list is the end of the longer one. */
function isSuffix(one: readonly string[], other: readonly string[]): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  return short.length > 0 && isSame(short, long.slice(long.length - short.length))
}

/** What stands in the body of another function is meant only if nothing else is. */
function preferOuter(units: readonly Unit[]): readonly Unit[] {
  const outer = units.filter(({ nested }) => nested !== true)
  return outer.length > 0 ? outer : units
}
