import { isSigned } from '../../git/objects/commit/commit-signature.ts'
import { readObject } from '../../git/objects/read-object.ts'
import type { Repository } from '../../git/repository.ts'
import type { LogTree, LogVersion } from './log-tree.ts'

/** Commits of the log that are looked at, newest first; older ones all count as equally old. */
const MOST_COMMITS = 20_000
/** So many commits are read one by one before git is asked for all of them. */
const FEW_COMMITS = 8
const LARGEST_COMMIT = 64 * 1024

const COMMIT = /^[0-9a-f]{40,64}$/

type Git = Pick<Repository, 'pipe' | 'objects'>

export interface LogOrder {
  /** In the order in which they came into the log. */
  readonly segments: LogTree
  /** By segment, the commits that brought it: each has it while none of its parents has. */
  readonly commits: ReadonlyMap<string, readonly string[]>
}

/**
 * Segments in the order of the commits that added them, so that a later line cannot claim to be earlier. `known`:
 * commits whose segments need no order. A single segment without signed commits needs no order either, and git is not
 * started.
 */
export async function readLogOrder(
  git: Git,
  { tip }: LogVersion,
  segments: LogTree,
  known: string | undefined,
): Promise<LogOrder> {
  const isAlone = segments.size < 2
  if (tip === undefined || segments.size === 0) return { segments, commits: new Map() }
  if (isAlone && (await isUnsigned(git, tip, known))) return { segments, commits: new Map() }
  const range = ['--topo-order', '--reverse', `--max-count=${MOST_COMMITS}`, tip]
  const except = known === undefined ? [] : ['--not', known]
  const listed = await git.pipe(
    ['rev-list', ...range, ...except],
    // For a merge commit, only files that neither parent has.
    ['diff-tree', '--stdin', '-c', '--root', '--no-renames', '--raw', '--no-abbrev', '-r', '-z'],
  )
  const places = new Map<string, number>()
  const commits = new Map<string, string[]>()
  for (const { commit, place, name, blob } of parseAdded(listed)) {
    if (segments.get(name) !== blob) continue
    if (!places.has(name)) places.set(name, place)
    commits.set(name, [...(commits.get(name) ?? []), commit])
  }
  const placeOf = (name: string): number => places.get(name) ?? 0
  const inOrder = [...segments].toSorted(([a], [b]) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1))
  return { segments: new Map(inOrder), commits }
}

interface Added {
  readonly commit: string
  readonly place: number
  readonly name: string
  readonly blob: string
}

/** The files that each commit adds over its parents. A name always follows its entry, so it cannot be mistaken for one. */
function* parseAdded(listed: string): Generator<Added> {
  const fields = listed.split('\0')
  let [commit, place] = ['', 0]
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at] ?? ''
    if (field.startsWith(':')) {
      // `:modes… ids… status`, with one more mode and id for each further parent; the last id is the commit's own.
      const blob = field.split(' ').at(-2) ?? ''
      at += 1
      yield { commit, place, name: fields[at] ?? '', blob }
    } else if (COMMIT.test(field)) {
      commit = field
      place += 1
    }
  }
}

/** Whether these commits are few and none of them is signed. False where that is not known. */
async function isUnsigned(
  { objects }: Git,
  tip: string,
  known: string | undefined,
): Promise<boolean> {
  const open = [tip]
  const seen = new Set(known === undefined ? [] : [known])
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (seen.has(id)) continue
    const commit = await readObject(objects, LARGEST_COMMIT, id)
    if (seen.size > FEW_COMMITS || typeof commit === 'string') return false
    const text = commit.content.toString('utf8')
    if (isSigned(text)) return false
    seen.add(id)
    open.push(...parentsOf(text))
  }
  return true
}

function parentsOf(text: string): string[] {
  const header = text.slice(0, text.indexOf('\n\n') + 1)
  return [...header.matchAll(/^parent ([0-9a-f]{40,64})$/gm)].map(([, id = '']) => id)
}
