import * as z from 'zod'
import { resolveAnchor, type Unit } from '../anchor.ts'
import { countLines } from '../outline/lines.ts'
import { overlap, parseLineRange, toRepositoryPath } from '../place.ts'
import type { LineRange } from '../record.ts'
import { violation } from '../../core/input/parse.ts'
import { hunksIn } from '../../git/history/blame.ts'
import { prefetchAnnotations } from './annotated-in.ts'
import { type FileView, viewFile, type ViewOptions } from './file-view.ts'
import type { LocatedRegion } from './find-regions.ts'
import type { Code } from '../write/open-code.ts'
import { toLine } from '../../support/text/visible-text.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

export const path = z.string().describe('File path relative to repository root')
export const anchor = z
  .string()
  .max(500)
  .optional()
  .describe("Function or type name, such as 'Client.connect'")
export const lines = z.string().max(30).optional().describe('Line range START:END, such as 42:67')

/** The requested part of a file. */
export interface Scope {
  readonly view: FileView
  /** Undefined for the whole file; otherwise lines of today. */
  readonly ranges: readonly LineRange[] | undefined
  readonly units: readonly Unit[]
  /** Notices for the caller, such as a corrected name. */
  readonly notices: readonly string[]
}

const LONGEST_NAME = 200

export interface Asked {
  readonly path: string
  readonly anchor?: string | undefined
  readonly lines?: string | undefined
}

/** As below, for an answer that rather comes soon: a question about lines does not wait for the parser. */
export async function resolveScopeSoon(code: Code, asked: Asked): Promise<Scope> {
  if (isWhole(asked)) prefetchAnnotations(code, toRepositoryPath(code.repository.root, asked.path))
  return await resolveScope(code, asked, { isSoon: !isNamed(asked) })
}

function isNamed({ anchor, lines }: Asked): boolean {
  return lines === undefined && anchor !== undefined && anchor.trim() !== ''
}

/** Then all annotations of the file are needed. */
function isWhole(asked: Asked): boolean {
  return asked.lines === undefined && !isNamed(asked)
}

export async function resolveScope(
  code: Code,
  asked: Asked,
  options: ViewOptions = {},
): Promise<Scope> {
  const range = asked.lines === undefined ? undefined : parseLineRange(asked.lines)
  const view = await viewFile(code, asked.path, options)
  const known = [...code.notices, ...aboutFile(view), ...aboutOutline(view)]
  if (range !== undefined) {
    const last = countLines(view.file.text)
    if (range.start > Math.max(last, 1)) {
      throw violation('lines', 'too_large', `the file has only ${last} lines`, { max: last })
    }
    return { view, ranges: [range], units: [], notices: known }
  }
  if (asked.anchor === undefined || asked.anchor.trim() === '') {
    return { view, ranges: undefined, units: [], notices: known }
  }
  return resolveNamed(view, asked.anchor.trim(), aboutFile(view))
}

/** Whether a region is in the requested part of the file. */
export function isInScope(scope: Scope, located: LocatedRegion): boolean {
  const { view, ranges } = scope
  if (ranges === undefined) return true
  const { region, verdict, commit } = located
  const { lines } = verdict
  if (lines !== undefined) {
    const isThere = ranges.some((range) => overlap(range, lines))
    // What was said of the code around it matters here if the same commit wrote these lines: of each unit of that name.
    const isWriter = (range: LineRange) => blamedCommits(view, [range]).has(commit)
    return isThere && (!isAround(scope, located) || ranges.every(isWriter))
  }
  // The same goes for the whole file.
  return region.ast_anchor === undefined && blamedCommits(view, ranges).has(commit)
}

/** Names of annotated units that contain the requested one, and are not told with it. */
export function aroundScope(scope: Scope, all: readonly LocatedRegion[]): readonly string[] {
  const names = all
    .filter((each) => isAround(scope, each) && !isInScope(scope, each))
    .flatMap(({ verdict }) => verdict.unit?.name ?? [])
  const around = [...new Set(names)].map((name) => `'${shown(name)}'`).join(', ')
  return around === '' ? [] : [`Also annotated, around this: ${around}.`]
}

/** Whether a region is about a unit that contains a smaller one with all of the requested lines. */
function isAround({ view, ranges = [] }: Scope, { verdict: { unit } }: LocatedRegion): boolean {
  if (unit === undefined || ranges.length === 0) return false
  return ranges.every((range) => {
    if (!contains(unit.lines, range)) return false
    return view.outline.units.some(
      (inner) => contains(inner.lines, range) && isLarger(unit.lines, inner.lines),
    )
  })
}

function contains(outer: LineRange, inner: LineRange): boolean {
  return outer.start <= inner.start && outer.end >= inner.end
}

function isLarger(one: LineRange, other: LineRange): boolean {
  return one.end - one.start > other.end - other.start
}

/** The commits that wrote the requested lines, or all lines. */
export function blamedCommits(
  { history, uncommitted }: FileView,
  ranges: readonly LineRange[] | undefined,
): ReadonlySet<CommitId> {
  const blame = history?.blame ?? []
  const hunks =
    ranges === undefined
      ? blame
      : ranges.flatMap((range) => {
          const committed = uncommitted.toOlder(range)
          return committed === undefined ? [] : hunksIn(blame, committed)
        })
  return new Set(hunks.map(({ commit }) => commit))
}

/** A unit of a file by its name; the whole file where there is none, and that is said. */
export function resolveNamed(view: FileView, name: string, known: readonly string[] = []): Scope {
  const whole = { view, ranges: undefined, units: [] }
  if (!view.outline.supported) {
    const notice = `No outline of ${shown(view.path)}: ${view.outline.reason}. Returning file-level annotations.`
    return { ...whole, notices: [...known, notice] }
  }
  const match = resolveAnchor(view.outline.units, name)
  if (match === undefined) {
    return { ...whole, notices: [...known, aboutMissing(name, view.path)] }
  }
  const { units } = match
  return {
    view,
    ranges: units.map((unit) => unit.lines),
    units,
    notices: [...known, ...aboutMatch(name, match.kind, units)],
  }
}

export function aboutMissing(name: string, path: string): string {
  return `Anchor '${shown(name)}' not found in ${shown(path)}. Returning file-level annotations.`
}

function aboutMatch(name: string, kind: string, units: readonly Unit[]): readonly string[] {
  const names = [...new Set(units.map((unit) => unit.name))]
  const found = names.map((each) => `'${shown(each)}'`).join(', ')
  if (kind === 'fuzzy') return [`No '${shown(name)}' in this file; took ${found} for it.`]
  return names.length > 1 ? [`'${shown(name)}' is ambiguous: ${found}. Returning all.`] : []
}

function aboutFile({ path, file, history }: FileView): readonly string[] {
  if (file.committed === undefined) return [`${shown(path)} is not committed yet.`]
  return history === undefined ? [`${shown(path)} has no history here.`] : []
}

/** Says why names of functions and types are not known here, although the language has outlines. */
export function aboutOutline({ path, outline }: FileView): readonly string[] {
  if (outline.supported || outline.failed !== true) return []
  return [`No outline of ${shown(path)}: ${outline.reason}.`]
}

/** Names come from callers and from the repository. */
function shown(name: string): string {
  return toLine(name.slice(0, LONGEST_NAME))
}
