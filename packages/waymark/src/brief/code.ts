import type { ReadContext } from '../core/context.ts'
import { Failure } from '../core/error.ts'
import { isTimeUp, withDeadline } from '../support/deadline.ts'
import { firstCharacters } from '../support/text/visible-text.ts'
import type { BriefParts } from './operations.ts'
import type { LocatedRegion } from '../annotation/region/find-regions.ts'
import type { Code } from '../annotation/write/open-code.ts'
import type { EntityId } from '../entity/entity-id.ts'

const MOST_PATHS = 20
/** Maximum number of files read; of the others only the names are used. */
const MOST_FILES = 8
const MOST_LEARNED = 6
const LONGEST_COPY_MS = 2000
const LONGEST_TEXT = 200

interface CodeNews {
  /** The files that were named, or else those that have been changed since the last commit. */
  readonly paths: readonly string[]
  readonly code: BriefParts['code']
  /** Ids of what the annotations of these files belong to. */
  readonly linked: readonly EntityId[]
}

/** Annotations of the files at hand. Empty, not an error, where there is no code. */
export async function findCode(context: ReadContext, named: readonly string[]): Promise<CodeNews> {
  if (context.code === undefined) return { paths: named, code: [], linked: [] }
  try {
    const paths = named.length > 0 ? named : await readChanged(context)
    // A clean working tree, as most sessions begin with: neither the annotations nor the history are opened.
    if (paths.length === 0) return { paths, code: [], linked: [] }
    const code = await openInTime(context)
    if (code === undefined) return { paths, code: [], linked: [] }
    const regions = await regionsIn(context, code, paths.slice(0, MOST_FILES))
    return {
      paths,
      code: regions.slice(0, MOST_LEARNED).map(toLearned),
      linked: [...new Set(regions.flatMap(({ record }) => record.links.map(({ id }) => id)))],
    }
  } catch (error) {
    if (!(error instanceof Failure) || context.signal.aborted) throw error
    return { paths: named, code: [], linked: [] }
  }
}

/** Undefined when copying the notes, as after a clone, would take longer than a brief may: the next one goes on with it. */
async function openInTime(context: ReadContext): Promise<Code | undefined> {
  using deadline = withDeadline(LONGEST_COPY_MS, context.signal)
  const { signal } = deadline
  try {
    const { openAnnotatedCode } = await import('../annotation/write/open-code.ts')
    return await openAnnotatedCode({ ...context, signal })
  } catch (error) {
    if (!isTimeUp(signal) || context.signal.aborted) throw error
    context.logger.warn('the brief has no annotations yet: the notes are still being copied')
    return undefined
  }
}

async function readChanged({ code, signal }: ReadContext): Promise<readonly string[]> {
  const { changedPaths } = await import('../git/history/changed-paths.ts')
  const repository = await code?.repository()
  return repository === undefined
    ? []
    : (await changedPaths(repository, signal)).slice(0, MOST_PATHS)
}

/** Gotchas before intents. */
const KINDS: readonly string[] = ['gotcha', 'dead_end', 'unfinished', 'insight', 'intent']

async function regionsIn(
  context: ReadContext,
  code: Code,
  paths: readonly string[],
): Promise<readonly LocatedRegion[]> {
  const [{ viewWithoutHistory }, { findRegions }, { toRepositoryPath }] = await Promise.all([
    import('../annotation/region/file-view.ts'),
    import('../annotation/region/find-regions.ts'),
    import('../annotation/place.ts'),
  ])
  const found: LocatedRegion[] = []
  for (const path of paths) {
    const view = await viewWithoutHistory(code, toRepositoryPath(code.repository.root, path))
    if (view !== undefined) found.push(...(await findRegions(code, view)))
  }
  const rank = ({ region }: LocatedRegion) => KINDS.indexOf(region.kind)
  return found.toSorted((a, b) => rank(a) - rank(b) || b.confidence - a.confidence)
}

function toLearned({ path, region, verdict, record }: LocatedRegion): BriefParts['code'][number] {
  const at = verdict.unit?.name ?? region.ast_anchor?.name
  const rules = region.constraints.map(({ text }) => text)
  const text = [region.intent, ...rules].join('; must hold: ').replaceAll(/\s+/g, ' ')
  return {
    file: path,
    ...(at !== undefined && { at }),
    kind: region.kind,
    text: firstCharacters(text, LONGEST_TEXT),
    state: verdict.state,
    ...(record.author !== undefined && { by: record.author }),
  }
}
