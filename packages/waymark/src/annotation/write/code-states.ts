import type { ReadContext } from '../../core/context.ts'
import { type FreshnessState, worstOf } from '../freshness.ts'
import { once } from '../../support/once.ts'
import type { AnnotationRow } from '../store.ts'
import { filesOfToday, viewAnnotatedFile } from '../region/annotated-files.ts'
import { locateSurely } from '../trace/locate-region.ts'
import { openAnnotatedCode } from './open-code.ts'

/** What has become of the code that each of these annotations is about, by the id of its record. */
export async function codeStates(
  context: ReadContext,
  rows: readonly AnnotationRow[],
): Promise<ReadonlyMap<string, FreshnessState>> {
  const code = await openAnnotatedCode(context)
  const named = rows.flatMap(({ record }) => record.regions.map(({ file }) => file))
  const files = await filesOfToday(code, [...new Set(named)])
  const views = new Map(
    files.flatMap((file) => {
      const view = once(() => viewAnnotatedFile(code, file))
      return file.names.map((name) => [name, view] as const)
    }),
  )
  // Read together: one after the other, each text would wait for git and for the parser alone.
  await Promise.all([
    ...[...views.values()].map((view) => view()),
    ...rows.flatMap(({ commit, record }) =>
      record.regions
        .filter(({ content_hash: hash }) => hash === undefined)
        .map(({ file }) => code.repository.versions.at(commit, file)),
    ),
  ])
  const states = new Map<string, FreshnessState>()
  for (const { commit, record } of rows) {
    if (states.has(record.id)) continue
    const found: FreshnessState[] = []
    for (const region of record.regions) {
      const view = await views.get(region.file)?.()
      const verdict = view && (await locateSurely(code.repository, view, { commit, region }))
      found.push(verdict?.state ?? 'orphaned')
    }
    const worst = worstOf(found)
    if (worst !== undefined) states.set(record.id, worst)
    context.signal.throwIfAborted()
  }
  return states
}
