import { type ExactMatch, resolveAnchor, type Unit } from '../anchor.ts'
import { countLines } from '../outline/lines.ts'
import { toRepositoryPath } from '../place.ts'
import type { LineRange, Region } from '../record.ts'
import type { Outline } from '../outline/outlines.ts'
import type { Repository } from '../../git/repository.ts'
import type { Failure } from '../../core/error.ts'
import { violation } from '../../core/input/parse.ts'
import { kindOfUnit } from '../unit-kind.ts'
import { anchorOf, fileOf, linesOfInput, type RegionInput } from './region-input.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

/** How the name that was given compares with what is in the code. */
interface AnchorResolution {
  readonly file: string
  readonly requested_name: string
  readonly resolution: 'exact' | 'qualified' | 'fuzzy' | 'unresolved'
  readonly resolved_name?: string
  readonly distance?: number
}

export interface PlacedRegion {
  readonly region: Region
  readonly resolution?: AnchorResolution
  readonly warnings: readonly string[]
}

/** A region as it is written: its anchor, lines and hashes are those of the code in the commit, not what was typed. */
export async function placeRegion(
  repository: Repository,
  commit: CommitId,
  input: RegionInput,
  at: number,
): Promise<PlacedRegion> {
  const file = toRepositoryPath(repository.root, fileOf(input, at))
  const told = toTold(file, input)
  const then = await repository.versions.at(commit, file)
  if (then === undefined) {
    const warnings = [`${file} is not in commit ${commit.slice(0, 12)}`]
    return { region: { ...told, ...asGiven(input, at) }, warnings }
  }
  const outline = await repository.outlines.of({ path: file, ...then })
  const lines = clamp(linesOfInput(input, at), countLines(then.text))
  const anchor = anchorOf(input)
  if (anchor === undefined) {
    return {
      region: { ...told, ...(await placeLines(repository, then, outline, lines)) },
      warnings: [],
    }
  }
  const match = resolveAnchor(outline.units, anchor.name)
  if (match === undefined || (match.kind === 'fuzzy' && lines !== undefined)) {
    const place = lines && (await placeLines(repository, then, outline, lines))
    return unresolved({ told, anchor, outline, place })
  }
  const field = `regions.${at}.anchor`
  if (match.kind === 'fuzzy') throw notThere({ field, file, name: anchor.name }, match.units)
  const fitting = ofKind(match.units, anchor.type)
  const unit = nearest(fitting, lines)
  if (unit === undefined || (lines === undefined && isOfSeveralKinds(fitting))) {
    throw ambiguous({ field, file, name: anchor.name }, fitting)
  }
  return placeNamed({ told, anchor, lines, match: { ...match, units: fitting }, unit })
}

/** Those of the kind that was given, if there are any: callers call kinds by many names. */
function ofKind(units: readonly Unit[], type: string | undefined): readonly Unit[] {
  const exact = units.filter((unit) => unit.type === type)
  return exact.length > 0 ? exact : units
}

/** Overloads are one thing in several places; a module and a function of one name are two. */
function isOfSeveralKinds(units: readonly Unit[]): boolean {
  return new Set(units.map(({ type }) => kindOfUnit(type))).size > 1
}

interface Wanted {
  readonly field: string
  readonly file: string
  readonly name: string
}

const MOST_CANDIDATES = 5

/** An annotation at a guessed place would be told of the wrong code from then on. */
function notThere({ field, file, name }: Wanted, units: readonly Unit[]): Failure {
  const problem = `no ${name} in ${file}; the nearest: ${describe(units)}. Name one of them, or give lines`
  return violation(field, 'not_one_of', problem, { value: name, valid: namesOf(units) })
}

function ambiguous({ field, file, name }: Wanted, units: readonly Unit[]): Failure {
  const problem = `${name} in ${file} can be ${describe(units)}; give lines, or the type of the anchor`
  return violation(field, 'not_one_of', problem, { value: name, valid: namesOf(units) })
}

function describe(units: readonly Unit[]): string {
  const named = units.map(
    ({ type, name, lines }) => `${type} ${name} (${lines.start}:${lines.end})`,
  )
  return named.slice(0, MOST_CANDIDATES).join(', ')
}

function namesOf(units: readonly Unit[]): readonly string[] {
  return [...new Set(units.map(({ name }) => name))].slice(0, MOST_CANDIDATES)
}

/** Lines of a file, or all of it, with the hash that detects later changes. */
async function placeLines(
  { texts }: Repository,
  then: { readonly text: string; readonly blob: string },
  { layout }: Outline,
  lines: LineRange | undefined,
): Promise<Pick<Region, 'lines' | 'content_hash'>> {
  const content_hash = await texts.hash(then, layout, lines)
  return { ...(lines && { lines }), ...(content_hash !== undefined && { content_hash }) }
}

interface Anchored {
  readonly told: Region
  readonly anchor: { readonly name: string; readonly type?: string }
}

/** The anchor is kept as it was given. */
function unresolved({
  told,
  anchor,
  outline,
  place,
}: Anchored & {
  readonly outline: Outline
  readonly place: Partial<Region> | undefined
}): PlacedRegion {
  const { name, type = 'unknown' } = anchor
  return {
    region: { ...told, ast_anchor: { type, name }, ...place },
    resolution: { file: told.file, requested_name: name, resolution: 'unresolved' },
    warnings: [
      outline.supported
        ? `no ${name} in ${told.file}; kept as it was given`
        : `no outline of ${told.file}: ${outline.reason}; kept ${name} as it was given`,
    ],
  }
}

interface Named extends Anchored {
  readonly lines: LineRange | undefined
  readonly match: ExactMatch
  readonly unit: Unit
}

function placeNamed({ told, anchor, lines, match, unit }: Named): PlacedRegion {
  const { type, name, signature } = unit
  const others = match.units.length - 1
  return {
    region: {
      ...told,
      ast_anchor: { type, name, signature },
      lines: unit.lines,
      content_hash: unit.contentHash,
      signature_hash: unit.signatureHash,
    },
    resolution: {
      file: told.file,
      requested_name: anchor.name,
      resolution: match.kind,
      ...(name !== anchor.name && { resolved_name: name }),
    },
    warnings:
      others > 0 && lines === undefined
        ? [
            `${anchor.name} in ${told.file} could be ${others + 1} places; took line ${unit.lines.start}`,
          ]
        : [],
  }
}

function toTold(file: string, input: RegionInput): Region {
  return {
    file,
    kind: input.kind,
    intent: input.intent,
    ...(input.reasoning !== undefined && { reasoning: input.reasoning }),
    constraints: input.constraints.map((constraint) =>
      typeof constraint === 'string' ? { text: constraint, source: 'author' } : constraint,
    ),
    semantic_dependencies: input.semantic_dependencies,
    related_annotations: input.related_annotations,
    tags: [...new Set(input.tags)],
    ...(input.risk_notes !== undefined && { risk_notes: input.risk_notes }),
    corrections: [],
  }
}

function asGiven(input: RegionInput, at: number): Pick<Region, 'ast_anchor' | 'lines'> {
  const anchor = anchorOf(input)
  const lines = linesOfInput(input, at)
  return {
    ...(anchor && { ast_anchor: { type: anchor.type ?? 'unknown', name: anchor.name } }),
    ...(lines && { lines }),
  }
}

/** The one that shares most lines with those that were given. */
function nearest(units: readonly Unit[], lines: LineRange | undefined): Unit | undefined {
  if (lines === undefined) return units[0]
  const common = ({ lines: own }: Unit) =>
    Math.min(own.end, lines.end) - Math.max(own.start, lines.start)
  return units.toSorted((a, b) => common(b) - common(a))[0]
}

function clamp(range: LineRange | undefined, last: number): LineRange | undefined {
  if (range === undefined || range.start > last) return undefined
  return { start: range.start, end: Math.min(range.end, last) }
}
