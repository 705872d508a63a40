import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LineRange } from '../../annotation/record.ts'
import type { GitCalls } from '../repository.ts'
import { unquotePath } from './unquote-path.ts'

/** Lines that one commit wrote: where they stand today, and where they stood in the file of that commit. */
export interface BlameHunk {
  readonly commit: string
  /** The file's name in that commit. */
  readonly path: string
  readonly originalStart: number
  readonly start: number
  readonly count: number
}

/** Who wrote each line of a file, from the first line to the last. */
export type Blame = readonly BlameHunk[]

interface RawHunk {
  readonly hunk: BlameHunk
  /** Git did not look further back: the commit may only have inherited the lines. */
  readonly isBoundary: boolean
}

// Layout is nobody's reason: a commit that only indents does not take the lines from whoever wrote them.
const ARGUMENTS = ['-c', 'blame.ignoreRevsFile=', 'blame', '--incremental', '-w', '--no-textconv']

export async function blame(git: GitCalls, commit: string, path: string): Promise<Blame> {
  const raw = await run(git, [commit, '--', path])
  return raw.map(({ hunk }) => hunk)
}

/**
 * The blame of `commit` from the one of `earlier`, which must be an older version of the same file. Only what changed
 * in between is worked out. Undefined if the lines cannot be traced to that version alone, after a merge for example.
 */
export async function blameSince(
  git: GitCalls,
  {
    commit,
    path,
    earlier,
    known,
  }: {
    readonly commit: string
    readonly path: string
    readonly earlier: string
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

/** The hunks behind some lines of a file: who wrote them, and where they stood then. */
export function hunksIn(blame: Blame, { start, end }: LineRange): readonly BlameHunk[] {
  return blame.flatMap((hunk) => {
    const first = Math.max(hunk.start, start)
    const last = Math.min(hunk.start + hunk.count - 1, end)
    if (first > last) return []
    const originalStart = hunk.originalStart + (first - hunk.start)
    return [{ ...hunk, start: first, originalStart, count: last - first + 1 }]
  })
}

/** Lines inherited from the earlier version, handed on to whoever wrote them there. */
function trace(inherited: BlameHunk, known: Blame): readonly BlameHunk[] {
  const { originalStart: start, count } = inherited
  const shift = inherited.start - start
  return hunksIn(known, { start, end: start + count - 1 }).map((hunk) => ({
    ...hunk,
    start: hunk.start + shift,
  }))
}

/** More than 50,000 hunks, which no file has that people wrote. */
const LARGEST_OUTPUT = 4 * 1024 * 1024
/** How many hunks are read before others get their turn. */
const AT_ONCE = 1_000

/** Nothing for a file with so many hunks that reading them would take long. */
async function run(git: GitCalls, args: readonly string[]): Promise<readonly RawHunk[]> {
  const output = await git.ask([...ARGUMENTS, ...args]).catch((error: unknown) => {
    if (isTooLong(error)) return undefined
    throw error
  })
  if (output === undefined || output.length > LARGEST_OUTPUT) return []
  const hunks: RawHunk[] = []
  for (const hunk of parseIncremental(output)) {
    hunks.push(hunk)
    if (hunks.length % AT_ONCE === 0) await nextTurn()
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
  const boundaries = new Set<string>()
  let header: readonly string[] | null = null
  for (const line of output.split('\n')) {
    if (header === null) {
      header = HEADER.exec(line)
      continue
    }
    const [, commit = '', originalStart, start, count] = header
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
