import type { ReadContext } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import type { AnnotationRow } from '../../annotation/store.ts'

const MOST_PLACES = 8

/** The places that each annotation is about, by the id of its record. A record without regions is about its commit. */
export async function annotatedPlaces(
  context: ReadContext,
  rows: readonly AnnotationRow[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const whole = rows.filter(({ record }) => record.regions.length === 0)
  const files = whole.length === 0 ? new Map<string, string[]>() : await filesOf(context, whole)
  return new Map(
    rows.map(({ commit, record }) => {
      const named = record.regions.map(({ file, ast_anchor: anchor }) =>
        anchor === undefined ? file : `${file}:${anchor.name}`,
      )
      const places = named.length > 0 ? [...new Set(named)] : (files.get(commit) ?? [])
      return [record.id, toShort(places)] as const
    }),
  )
}

function toShort(places: readonly string[]): readonly string[] {
  const left = places.length - MOST_PLACES
  return left > 0 ? [...places.slice(0, MOST_PLACES), `and ${left} more`] : places
}

/** Unreadable code is not an error: the summary is still shown. Lazily imported, because few entities have annotations. */
async function filesOf(
  context: ReadContext,
  rows: readonly AnnotationRow[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (context.code === undefined) return new Map()
  try {
    const { changedFiles } = await import('../../annotation/summary/changed-files.ts')
    const repository = await context.code.repository()
    const commits = [...new Set(rows.map(({ commit }) => commit))]
    const infos = await repository.objects.infos(commits.map((id) => `${id}^{commit}`))
    return await changedFiles(
      repository,
      commits.filter((_, at) => infos[at] !== undefined),
    )
  } catch (error) {
    if (!(error instanceof Failure) || context.signal.aborted) throw error
    return new Map()
  }
}
