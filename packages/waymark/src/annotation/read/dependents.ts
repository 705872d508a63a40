import * as z from 'zod'
import { isSameAnchor } from '../anchor.ts'
import { confidenceOf } from '../confidence.ts'
import { CONTEXT_LEVELS, type Region } from '../record.ts'
import { FRESHNESS_STATES, judgeGone, trustIn, type Verdict } from '../freshness.ts'
import type { AnnotationRow } from '../store.ts'
import { viewWithoutHistory } from '../region/file-view.ts'
import { locateSurely } from '../trace/locate-region.ts'
import { type Code, isIncluded } from '../write/open-code.ts'
import type { Scope } from '../region/scope.ts'
import type { CommitId } from '../../git/history/commit-id.ts'

/** Code that depends on the requested code. */
export const dependentView = z.object({
  file: z.string(),
  anchor: z.string(),
  nature: z.string(),
  commit: z.string(),
  timestamp: z.string(),
  confidence: z.number(),
  context_level: z.enum(CONTEXT_LEVELS),
  state: z.enum(FRESHNESS_STATES).describe('Whether the dependent code is still what it was'),
})

type Dependent = z.output<typeof dependentView>

export interface Dependents {
  readonly dependents: readonly Dependent[]
  readonly commitsScanned: number
  readonly found: number
}

/** Who depends on the code in scope, the surest first; of several annotations of one dependent the newest. */
export async function findDependents(code: Code, scope: Scope): Promise<Dependents> {
  const { readRefs } = code.settings
  const rows = await code.annotations.inFiles({
    refs: readRefs,
    role: 'dependency',
    paths: [...scope.view.names],
  })
  const here = await reachableRows(code, rows)
  const found = here.flatMap((row) => dependenciesOn(scope, row))
  const newest = new Map<string, Dependency>()
  for (const each of found.toSorted((a, b) =>
    a.row.record.timestamp < b.row.record.timestamp ? -1 : 1,
  )) {
    newest.set(`${each.region.file} ${each.region.ast_anchor?.name ?? ''}`, each)
  }
  const wanted = [...newest.values()].filter(({ region }) => isIncluded(code.settings, region.file))
  const dependents = await Promise.all(wanted.map((each) => toDependent(code, each)))
  return {
    dependents: dependents.toSorted((a, b) => b.confidence - a.confidence),
    commitsScanned: new Set(here.map(({ commit }) => commit)).size,
    found: found.length,
  }
}

/**
 * Fills the caches that `findDependents` and `findConcerns` read from: whether the commits that refer to this file are
 * reachable, and the outlines of the dependent files. It runs while git computes the history of the file.
 */
export async function prefetchDependents(code: Code, path: string): Promise<void> {
  const { annotations } = code
  const asked = { refs: code.settings.readRefs, paths: [path] }
  const [dependent, concerned] = await Promise.all([
    annotations.inFiles({ ...asked, role: 'dependency' }),
    annotations.inFiles({ ...asked, role: 'cross_cutting' }),
  ])
  const files = new Set(
    dependent.flatMap(({ record }) =>
      record.regions
        .filter(({ semantic_dependencies: all }) => all.some(({ file }) => file === path))
        .map(({ file }) => file),
    ),
  )
  await Promise.all([
    reachableRows(code, [...dependent, ...concerned]),
    ...[...files].map((file) => viewWithoutHistory(code, file)),
  ])
}

/** Annotations of commits in the history that is checked out. */
export async function reachableRows(
  { repository, head }: Code,
  rows: readonly AnnotationRow[],
): Promise<readonly AnnotationRow[]> {
  if (head === undefined) return []
  const reach = await repository.reachable.from(
    head.id,
    rows.map(({ commit }) => commit),
  )
  return rows.filter(({ commit }) => reach.get(commit) === 'here')
}

interface Dependency {
  readonly row: AnnotationRow
  readonly region: Region
  readonly nature: string
}

function dependenciesOn({ view, units }: Scope, row: AnnotationRow): readonly Dependency[] {
  const isMeant = (anchor: string) =>
    units.length === 0 || anchor === '' || units.some(({ name }) => isSameAnchor(anchor, name))
  return row.record.regions.flatMap((region) =>
    region.semantic_dependencies
      .filter(({ file, anchor }) => view.names.has(file) && isMeant(anchor))
      .map(({ nature }) => ({ row, region, nature })),
  )
}

async function toDependent(code: Code, { row, region, nature }: Dependency): Promise<Dependent> {
  const { commit, record } = row
  const verdict = await judge(code, commit, region)
  const committed = await code.repository.commits.get(commit)
  const { confidence } = confidenceOf(
    {
      ageMs: (code.head?.at ?? 0) - (committed?.at ?? 0),
      contextLevel: record.context_level,
      fit: verdict.fit,
      operation: record.provenance.operation,
      corrections: region.corrections,
      trust: trustIn(verdict, false),
      field: 'semantic_dependencies',
    },
    code.settings,
  )
  return {
    file: region.file,
    anchor: verdict.unit?.name ?? region.ast_anchor?.name ?? '',
    nature,
    commit,
    timestamp: record.timestamp,
    confidence,
    context_level: record.context_level,
    state: verdict.state,
  }
}

async function judge(code: Code, commit: CommitId, region: Region): Promise<Verdict> {
  const view = await viewWithoutHistory(code, region.file)
  if (view === undefined) return judgeGone()
  return await locateSurely(code.repository, view, { commit, region })
}
