import type { Repository } from '../git/repository.ts'
import type { LogTree, LogVersion } from './log-tree.ts'

/** Commits of the log that are looked at, newest first; older ones all count as equally old. */
const MOST_COMMITS = 20_000

const COMMIT = /^[0-9a-f]{40,64}$/

/**
 * Segments in the order in which they came into the log: what was there first is taken in first, whatever a later line
 * says of itself. `known`: commits whose segments need no order.
 */
export async function inLogOrder(
  git: Pick<Repository, 'pipe'>,
  { tip }: LogVersion,
  segments: LogTree,
  known: string | undefined,
): Promise<LogTree> {
  if (tip === undefined || segments.size < 2) return segments
  const range = ['--topo-order', '--reverse', `--max-count=${MOST_COMMITS}`, tip]
  const except = known === undefined ? [] : ['--not', known]
  const listed = await git.pipe(
    ['rev-list', ...range, ...except],
    // Of a commit with two parents only what neither of them has.
    ['diff-tree', '--stdin', '-c', '--root', '--no-renames', '--name-only', '-r'],
  )
  const places = new Map<string, number>()
  let place = 0
  for (const line of listed.split('\n')) {
    if (COMMIT.test(line)) place += 1
    else if (segments.has(line) && !places.has(line)) places.set(line, place)
  }
  const placeOf = (name: string): number => places.get(name) ?? 0
  return new Map([...segments].toSorted(([a], [b]) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1)))
}
