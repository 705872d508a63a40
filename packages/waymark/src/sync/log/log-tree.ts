import { Failure } from '../../core/error.ts'
import type { ObjectWriter } from '../../git/objects/object-writer.ts'
import { parseTree } from '../../git/objects/parse-tree.ts'
import { readObject } from '../../git/objects/read-object.ts'
import type { Repository } from '../../git/repository.ts'
import { toGitFailure } from '../../git/run.ts'
import { SEGMENT_LIMITS } from './limits.ts'
import {
  isSegmentName,
  isTooLarge,
  type ParsedSegment,
  parseSegment,
  type Segment,
} from './segment.ts'

/** The segments of one version of the log: blob by name. */
export type LogTree = ReadonlyMap<string, string>

export interface LogVersion {
  readonly tip: string | undefined
  readonly tree: LogTree
}

type Git = Pick<Repository, 'objects'>

/** Bytes of the folder's list; Waymark packs small segments long before it is so long. */
const LARGEST_TREE = 8 * 1024 * 1024

/** Bytes buffered in memory while writing. */
const MOST_HELD = 8 * 1024 * 1024

const REGULAR_FILE = '100644'

/** Ignores foreign files in the folder, which the next version therefore drops. */
export async function readTree(git: Git, tip: string | undefined): Promise<LogTree> {
  if (tip === undefined) return new Map()
  // Through the running git: a sync reads the same few trees again and again.
  const { size, id } = (await git.objects.info(`${tip}^{tree}`)) ?? { size: 0, id: '' }
  if (size > LARGEST_TREE) throw tooManySegments(tip, size)
  const object = await git.objects.read(id)
  const entries = object && parseTree(object.content, tip.length / 2)
  if (entries === undefined) throw unreadableTree(tip)
  return new Map(
    [...entries].flatMap(([name, { mode, id: blob }]) =>
      mode === REGULAR_FILE && isSegmentName(name) ? [[name, blob] as const] : [],
    ),
  )
}

function unreadableTree(tip: string): Failure {
  const stderr = `the tree of commit ${tip.slice(0, 12)} is missing or malformed`
  return toGitFailure({ exitCode: 128, stdout: '', stderr })
}

function tooManySegments(tip: string, size: number): Failure {
  const what = `the log at ${tip.slice(0, 12)} lists ${size} bytes of files, more than Waymark writes`
  return new Failure(
    'conflict',
    `${what}; put the ref back to an earlier commit of it with git update-ref`,
    { details: { reason: 'too_many_segments', commit: tip } },
  )
}

/** A segment as it is in the log, with what kept it from being read. */
export interface ReadSegment extends ParsedSegment {
  readonly isTooLarge?: true
  /** The blob is missing, and may be present next time. */
  readonly isMissing?: true
  /** Number of lines, if the segment was rejected for lack of a trusted signature. */
  readonly unsigned?: number
}

/** Of a segment that is too large only the size is read. */
export async function readSegment(git: Git, name: string, blob: string): Promise<ReadSegment> {
  const nothing = { lines: [], refused: [], damaged: 0, isIntact: false }
  const object = await readObject(git.objects, SEGMENT_LIMITS.all, blob)
  if (object === 'missing') return { ...nothing, damaged: 1, isMissing: true }
  if (object === 'too_large') return { ...nothing, isTooLarge: true }
  const text = object.content.toString('utf8')
  return isTooLarge(text) ? { ...nothing, isTooLarge: true } : parseSegment(name, text)
}

/** Undefined if it is not here, damaged in the object store, or too large. */
export async function readSegmentText(
  { objects }: Pick<Git, 'objects'>,
  blob: string,
): Promise<string | undefined> {
  const object = await readObject(objects, SEGMENT_LIMITS.all, blob)
  return typeof object === 'string' ? undefined : object.content.toString('utf8')
}

/** The writer flushes what is left with the commit. The blobs are unreachable until the log ref moves; it keeps them until then. */
export async function writeSegments(
  writer: ObjectWriter,
  segments: Iterable<Segment>,
): Promise<LogTree> {
  const written = new Map<string, string>()
  for (const { name, text } of segments) {
    written.set(name, writer.add('blob', text))
    if (writer.addedBytes > MOST_HELD) await writer.flush()
  }
  return written
}

/**
 * Three-way merge: the union of both sides, without segments that one side has removed since the merge base, because
 * compaction moved their lines to another segment.
 */
export async function mergeTrees(
  git: Git,
  base: LogTree,
  ours: LogTree,
  theirs: LogTree,
): Promise<LogTree> {
  const merged = new Map<string, string>()
  for (const name of new Set([...ours.keys(), ...theirs.keys()])) {
    const [our, their] = [ours.get(name), theirs.get(name)]
    const wasRemoved = (our === undefined || their === undefined) && base.has(name)
    if (wasRemoved) continue
    const blob = our === their ? our : await intactOne(git, name, [our, their])
    if (blob !== undefined) merged.set(name, blob)
  }
  return merged
}

/** Names are content hashes, so of two different files with one name one is damaged. */
async function intactOne(
  git: Git,
  name: string,
  blobs: readonly (string | undefined)[],
): Promise<string | undefined> {
  const present = blobs.filter((blob) => blob !== undefined)
  for (const blob of present) {
    if (present.length === 1 || (await readSegment(git, name, blob)).isIntact) return blob
  }
  return present[0]
}
