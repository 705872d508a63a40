import { type AnchorMatch, resolveAnchor, type Unit } from '../anchor.ts'
import { countLines } from '../outline/lines.ts'
import { overlap, toRepositoryPath } from '../place.ts'
import type { LineRange, Region } from '../record.ts'
import { readFileAt } from '../../git/current-file.ts'
import type { Outline } from '../outline/outlines.ts'
import type { Repository } from '../../git/repository.ts'
import { anchorOf, fileOf, linesOfInput, type RegionInput } from './region-input.ts'

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
  commit: string,
  input: RegionInput,
  at: number,
): Promise<PlacedRegion> {
  const file = toRepositoryPath(repository.root, fileOf(input, at))
  const told = toTold(file, input)
  const then = await readFileAt(repository, commit, file)
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
  const unit = match === undefined ? undefined : nearest(match.units, lines)
  if (match === undefined || unit === undefined) {
    const place = lines && (await placeLines(repository, then, outline, lines))
    return unresolved({ told, anchor, outline, place })
  }
  return placeNamed({ told, anchor, lines, match, unit })
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
  readonly match: AnchorMatch
  readonly unit: Unit
}

function placeNamed({ told, anchor, lines, match, unit }: Named): PlacedRegion {
  const { type, name, signature } = unit
  const isFuzzy = match.kind === 'fuzzy'
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
      ...(isFuzzy && { distance: match.distance }),
    },
    warnings: [
      ...(isFuzzy ? [`no ${anchor.name} in ${told.file}; took ${name} for it`] : []),
      ...(others > 0 && lines === undefined
        ? [
            `${anchor.name} in ${told.file} could be ${others + 1} places; took line ${unit.lines.start}`,
          ]
        : []),
    ],
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

function nearest(units: readonly Unit[], lines: LineRange | undefined): Unit | undefined {
  return (lines && units.find((unit) => overlap(unit.lines, lines))) ?? units[0]
}

function clamp(range: LineRange | undefined, last: number): LineRange | undefined {
  if (range === undefined || range.start > last) return undefined
  return { start: range.start, end: Math.min(range.end, last) }
}
