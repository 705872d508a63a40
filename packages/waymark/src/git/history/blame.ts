import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LineRange } from '../../annotation/record.ts'
import { isCount, isFields } from '../../support/json-shape.ts'
import { isObjectId } from '../objects/object-id.ts'
import type { GitCalls } from '../repository.ts'
import { unquotePath } from './unquote-path.ts'
import { type CommitId, toCommitId } from './commit-id.ts'

/** Lines of one commit: their position in the current file, and in the file of that commit. */
export interface BlameHunk {
  readonly commit: CommitId
  /** The file's name in that commit. */
  readonly path: string
  readonly originalStart: number
  readonly start: number
  readonly count: number
}

/** Who wrote each line of a file, from the first line to the last. */
export type Blame = readonly BlameHunk[]

export function isBlameHunk(value: unknown): value is BlameHunk {
  return (
    isFields(value) &&
    isObjectId(value['commit']) &&
    typeof value['path'] === 'string' &&
    [value['originalStart'], value['start'], value['count']].every(isCount)
  )
}

interface RawHunk {
  readonly hunk: BlameHunk
  /** Git stopped here: the lines may be older than this commit. */
  readonly isBoundary: boolean
}

// `-w`: a commit that only changes whitespace is not blamed for the lines.
const ARGUMENTS = ['-c', 'blame.ignoreRevsFile=', 'blame', '--incremental', '-w', '--no-textconv']

export async function blame(git: GitCalls, commit: CommitId, path: string): Promise<Blame> {
  const raw = await run(git, [commit, '--', path])
  return raw.map(({ hunk }) => hunk)
}

/**
 * Incremental blame of `commit`, given the blame of `earlier`, an older version of the same file. Only the commits in
 * between are walked. Undefined if the lines cannot be traced to that version alone, after a merge for example.
 */
export async function blameSince(
  git: GitCalls,
  {
    commit,
    path,
    earlier,
    known,
  }: {
    readonly commit: CommitId
    readonly path: string
    readonly earlier: CommitId
    readonly known: Blame
  },
): Promise<Blame | undefined> {
  const raw = await run(git, [commit, `^${earlier}`, '--', path])
  const spliced: BlameHunk[] = []
  for (const { isBoundary, hunk } of raw) {
    if (!isBoundary) spliced.push(hunk)
    else if (hunk.commit === earlier && hunk.path === path) spliced.push(...trace(hunk, known))
    else return undefined
  }
  return spliced.toSorted((a, b) => a.start - b.start)
}

/** The hunks of a line range, clipped to it. */
export function hunksIn(blame: Blame, { start, end }: LineRange): readonly BlameHunk[] {
  return blame.flatMap((hunk) => {
    const first = Math.max(hunk.start, start)
    const last = Math.min(hunk.start + hunk.count - 1, end)
    if (first > last) return []
    const originalStart = hunk.originalStart + (first - hunk.start)
    return [{ ...hunk, start: first, originalStart, count: last - first + 1 }]
  })
}

/** Maps lines inherited from the earlier version to the commits blamed for them there. */
function trace(inherited: BlameHunk, known: Blame): readonly BlameHunk[] {
  const { originalStart: start, count } = inherited
  const shift = inherited.start - start
  return hunksIn(known, { start, end: start + count - 1 }).map((hunk) => ({
    ...hunk,
    start: hunk.start + shift,
  }))
}

/** More than 50,000 hunks, which only generated files have. */
const LARGEST_OUTPUT = 4 * 1024 * 1024
/** How many hunks are parsed before yielding to the event loop. */
const HUNKS_PER_TURN = 1_000

/** Empty if the output exceeds the limit. */
async function run(git: GitCalls, args: readonly string[]): Promise<readonly RawHunk[]> {
  const output = await git.ask([...ARGUMENTS, ...args]).catch((error: unknown) => {
    if (isTooLong(error)) return undefined
    throw error
  })
  if (output === undefined || output.length > LARGEST_OUTPUT) return []
  const hunks: RawHunk[] = []
  for (const hunk of parseIncremental(output)) {
    hunks.push(hunk)
    if (hunks.length % HUNKS_PER_TURN === 0) await nextTurn()
  }
  return hunks.toSorted((a, b) => a.hunk.start - b.hunk.start)
}

function isTooLong(error: unknown): boolean {
  return error instanceof RangeError && 'code' in error && error.code === MAX_BUFFER
}

const MAX_BUFFER = 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER'

const HEADER = /^([0-9a-f]{40,64}) (\d+) (\d+) (\d+)$/

function* parseIncremental(output: string): Generator<RawHunk> {
  // Git describes a commit only the first time it names it.
  const boundaries = new Set<CommitId>()
  let header: readonly string[] | null = null
  for (const line of output.split('\n')) {
    if (header === null) {
      header = HEADER.exec(line)
      continue
    }
    const [, id = '', originalStart, start, count] = header
    const commit = toCommitId(id)
    if (line === 'boundary') boundaries.add(commit)
    if (!line.startsWith('filename ')) continue
    const hunk = {
      commit,
      path: unquotePath(line.slice('filename '.length)),
      originalStart: Number(originalStart),
      start: Number(start),
      count: Number(count),
    }
    yield { hunk, isBoundary: boundaries.has(commit) }
    header = null
  }
}
