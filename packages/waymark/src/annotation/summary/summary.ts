import * as z from 'zod'
import type { ReadContext } from '../../core/context.ts'
import { isSameAnchor, unitsNamed } from '../anchor.ts'
import { toRepositoryPath } from '../place.ts'
import { defineOperation } from '../../core/operation.ts'
import { annotatedFiles, viewAnnotatedFile } from '../region/annotated-files.ts'
import { type FileView, findFile, viewFile } from '../region/file-view.ts'
import { findRegions, type LocatedRegion } from '../region/find-regions.ts'
import { type Code, isIncluded, openAnnotatedCode } from '../write/open-code.ts'
import { filled } from '../region/region-view.ts'
import { findSummaries, MOST_SUMMARIES, toCommitSummary } from './commit-summaries.ts'
import { type FolderSummary, summariesInFolder } from './folder-summaries.ts'
import { showSummary } from '../read/show.ts'
import { summaryView, type UnitSummary } from '../read/view.ts'
import { aboutMissing, aboutOutline, anchor, isInScope, resolveNamed } from '../region/scope.ts'

export const summariseCode = defineOperation({
  name: 'code.summary',
  summary: 'Give the intent and constraints of everything annotated in a file or directory',
  example: 'src',
  effect: 'read',
  input: z.object({
    path: z.string().describe('File or directory path relative to repository root'),
    anchor,
    limit: z.int().min(1).max(1_000).default(200).describe('How many units at most'),
  }),
  output: summaryView,
  positional: ['path', 'anchor'],
  async run(context, input) {
    const code = await openAnnotatedCode(context)
    const views = await viewsOf(context, code, input.path)
    const summaries = await Promise.all(
      views.map(async (view) => ({ view, units: await summarise(context, code, view) })),
    )
    const { units, notices } = narrow(
      summaries.flatMap((each) => each.units),
      views,
      input,
    )
    const said = await summariesOf(code, views, input)
    const outlined = views
      .flatMap(({ outline }) => outline.units)
      .filter(({ nested }) => nested !== true)
    const annotated = new Set(
      summaries.flatMap(({ units }) =>
        units.filter(isNamed).map(({ file, anchor }) => `${file} ${anchor.name}`),
      ),
    )
    return {
      $schema: 'ultragit-summary/v1' as const,
      query: { path: input.path, ...filled('anchor', input.anchor) },
      ...filled('notes', [
        ...code.notices,
        ...notices,
        ...aboutOutlines(views, input.anchor),
        ...leftOut('units', units.length, input.limit),
        ...leftOut('summaries', said.length, MOST_SUMMARIES),
      ]),
      units: units.slice(0, input.limit),
      ...filled('summaries', said.slice(0, MOST_SUMMARIES)),
      stats: {
        files: views.length,
        ast_units_in_file: outlined.length,
        annotated_units: annotated.size,
        unannotated_units: Math.max(0, outlined.length - annotated.size),
      },
    }
  },
  show: showSummary,
})

/** One file, or all annotated files of a directory. */
async function viewsOf(
  context: ReadContext,
  code: Code,
  given: string,
): Promise<readonly FileView[]> {
  const path = toRepositoryPath(code.repository.root, given)
  const view = await findFile(code, path)
  if (view !== undefined) return isIncluded(code.settings, path) ? [view] : []
  const prefix = prefixOf(path)
  const inside = (await annotatedFiles(code)).filter((file) => file.path?.startsWith(prefix))
  if (inside.length === 0 && !(await isFolder(code, prefix))) await viewFile(code, given)
  const views = await Promise.all(inside.map((file) => viewAnnotatedFile(code, file)))
  return views.filter((each) => each !== undefined).toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

async function isFolder({ repository, head }: Code, prefix: string): Promise<boolean> {
  if (prefix === '' || head === undefined) return prefix === ''
  return [...(await repository.trees.files(head.id))].some((file) => file.startsWith(prefix))
}

/** What was said of whole commits: of those that changed the file or symbol, or something in the folder. */
async function summariesOf(
  code: Code,
  views: readonly FileView[],
  { path, anchor }: { readonly path: string; readonly anchor?: string | undefined },
): Promise<readonly FolderSummary[]> {
  const asked = toRepositoryPath(code.repository.root, path)
  const [view] = views
  if (view?.path !== asked) {
    return anchor === undefined ? await summariesInFolder(code, prefixOf(asked)) : []
  }
  const name = anchor?.trim() ?? ''
  const whole = { view, ranges: undefined, units: [], notices: [] }
  const scope = name === '' ? whole : resolveNamed(view, name)
  const located = (await findRegions(code, view)).filter((each) => isInScope(scope, each))
  return (await findSummaries(code, scope, located)).map(toCommitSummary)
}

function prefixOf(path: string): string {
  return path === '' ? '' : `${path}/`
}

/** Only the units of that name. Where nothing has it, all of them, and that is said. */
function narrow(
  units: readonly UnitSummary[],
  views: readonly FileView[],
  { path, anchor }: { readonly path: string; readonly anchor?: string | undefined },
): { readonly units: readonly UnitSummary[]; readonly notices: readonly string[] } {
  const name = anchor?.trim() ?? ''
  if (name === '') return { units, notices: [] }
  const named = (...wanted: readonly string[]) =>
    units.filter((unit) => wanted.some((each) => isSameAnchor(each, unit.anchor.name)))
  const found = named(name)
  if (found.length > 0) return { units: found, notices: [] }
  const [view, ...others] = views
  if (view !== undefined && others.length === 0) {
    const { units: meant, notices } = resolveNamed(view, name)
    return { units: meant.length === 0 ? units : named(...meant.map((unit) => unit.name)), notices }
  }
  // In one of many files the nearest name would be a guess.
  const isThere = views.some(({ outline }) => unitsNamed(outline.units, name).length > 0)
  return isThere ? { units: [], notices: [] } : { units, notices: [aboutMissing(name, path)] }
}

/** The newest annotation of each unit, in the order of the file. */
async function summarise(context: ReadContext, code: Code, view: FileView): Promise<UnitSummary[]> {
  const newest = new Map<string, LocatedRegion>()
  for (const each of await findRegions(code, view)) {
    if (each.verdict.state === 'orphaned') continue
    const key = `${each.region.kind} ${keyOf(each)}`
    const other = newest.get(key)
    if (other === undefined || each.committedAt >= other.committedAt) newest.set(key, each)
  }
  return [...newest.values()].map(toUnit).toSorted((a, b) => startOf(a) - startOf(b))
}

function keyOf({ verdict, region }: LocatedRegion): string {
  const { unit, lines } = verdict
  return unit?.name ?? region.ast_anchor?.name ?? (lines === undefined ? '' : `${lines.start}`)
}

function toUnit({ path, commit, record, region, verdict, confidence }: LocatedRegion): UnitSummary {
  const { unit, lines } = verdict
  const name = region.ast_anchor?.name
  return {
    file: path,
    anchor:
      unit === undefined
        ? {
            type: name === undefined ? (lines === undefined ? 'file' : 'lines') : 'unknown',
            name: name ?? path,
          }
        : { type: unit.type, name: unit.name, signature: unit.signature },
    ...filled('lines', lines),
    kind: region.kind,
    intent: region.intent,
    ...filled('constraints', [...region.constraints]),
    ...filled('risk_notes', region.risk_notes),
    last_modified: record.timestamp,
    commit,
    confidence,
    state: verdict.state,
  }
}

function isNamed({ anchor: { type } }: UnitSummary): boolean {
  return type !== 'file' && type !== 'lines' && type !== 'unknown'
}

function startOf({ lines }: UnitSummary): number {
  return lines?.start ?? 0
}

const MOST_NOTICES = 5

/** With an anchor it was said already. */
function aboutOutlines(views: readonly FileView[], anchor: string | undefined): readonly string[] {
  return views.length === 1 && anchor !== undefined
    ? []
    : views.flatMap((view) => aboutOutline(view)).slice(0, MOST_NOTICES)
}

function leftOut(what: 'units' | 'summaries', found: number, limit: number): string[] {
  return found > limit
    ? [`${found - limit} more ${what} are not shown; ask for a smaller part.`]
    : []
}
