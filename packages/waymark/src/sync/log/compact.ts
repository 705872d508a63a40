import type { ObjectWriter } from '../../git/objects/object-writer.ts'
import type { Repository } from '../../git/repository.ts'
import type { SegmentSigner } from '../merge/store.ts'
import type { LogLine } from './log-line.ts'
import { type LogTree, readSegment } from './log-tree.ts'
import { type Segment, toSegments } from './segment.ts'

type Git = Pick<Repository, 'ask' | 'run' | 'objects'>

/** A log with more small segments than this is compacted. */
const MOST_SMALL = 64
/** A segment of this many bytes is not compacted. */
const LARGE_SIZE = 256 * 1024

interface Compaction {
  /** With nothing but lines that were written here and signed. */
  readonly own: readonly Segment[]
  readonly others: readonly Segment[]
  readonly removed: ReadonlySet<string>
}

interface CompactOptions {
  /** Entities of which only that they were purged is kept. */
  readonly purged: ReadonlySet<string>
  /** Segments with lines that were set aside. */
  readonly aside: ReadonlySet<string>
  /** Segments whose commits are signed. */
  readonly signed: ReadonlyMap<string, SegmentSigner>
  /** Whether what is packed of our own can be signed again. */
  readonly signs: boolean
}

/** Segments that may be packed together: a signature is kept by those that it was made for. */
type Group = 'own' | 'unsigned' | 'signed'

interface CompactPlace {
  readonly repository: Git
  /** With segments that are not flushed yet. */
  readonly writer: Pick<ObjectWriter, 'flush'>
  readonly replica: {
    readonly aside: { segments(): Promise<ReadonlySet<string>> }
    signedSegments(): Promise<ReadonlyMap<string, SegmentSigner>>
  }
}

/** Reads segments only if there may be something to compact. */
export async function compactIfDue(
  { repository, writer, replica }: CompactPlace,
  tree: LogTree,
  { purged, signs }: Pick<CompactOptions, 'purged' | 'signs'>,
): Promise<Compaction> {
  if (tree.size <= MOST_SMALL && purged.size === 0) {
    return { own: [], others: [], removed: new Set() }
  }
  // Segments of this writer are read too.
  await writer.flush()
  const aside = await replica.aside.segments()
  const signed = await replica.signedSegments()
  return await compact(repository, tree, { purged, signs, aside, signed })
}

/**
 * Compacts many small segments into a few large ones with the same lines, deduplicated. Segments with damaged or
 * set-aside lines are kept as they are, so that those lines are not attributed to this clone. So are segments signed by
 * another clone, unless they contain purged lines: their signature would be lost.
 */
async function compact(
  git: Git,
  tree: LogTree,
  { purged, aside, signed, signs }: CompactOptions,
): Promise<Compaction> {
  const groupOf = (name: string): Group => {
    const signer = signed.get(name)
    if (signer === undefined) return 'unsigned'
    return signer === 'own' && signs ? 'own' : 'signed'
  }
  const infos = await git.objects.infos([...tree.values()])
  const small = [...tree].filter(
    ([name], at) => (infos[at]?.size ?? 0) < LARGE_SIZE && !aside.has(name),
  )
  const crowded = findCrowded(small.map(([name]) => groupOf(name)))
  const candidates = small.filter(([name]) => crowded.has(groupOf(name)))
  const lines = { own: new Map<string, LogLine>(), others: new Map<string, LogLine>() }
  const removed = new Set<string>()
  for (const [name, blob] of purged.size > 0 ? tree : candidates) {
    const segment = await readSegment(git, name, blob)
    const isTainted = segment.lines.some((line) => isOf(line, purged))
    const isWhole = segment.isIntact && segment.damaged + segment.refused.length === 0
    const group = groupOf(name)
    if (!isWhole || aside.has(name) || !(crowded.has(group) || isTainted)) continue
    removed.add(name)
    const target = group === 'own' ? lines.own : lines.others
    for (const line of segment.lines) if (!isOf(line, purged)) target.set(line.hash, line)
  }
  return { own: pack(lines.own), others: pack(lines.others), removed }
}

/** Groups with more small segments than a log should have. */
function findCrowded(groups: readonly Group[]): ReadonlySet<Group> {
  const packable = ['own', 'unsigned'] as const
  return new Set(
    packable.filter((group) => groups.filter((each) => each === group).length > MOST_SMALL),
  )
}

function pack(lines: ReadonlyMap<string, LogLine>): readonly Segment[] {
  return [...toSegments([...lines.values()].map(({ text }) => text))]
}

function isOf(line: LogLine, purged: ReadonlySet<string>): boolean {
  return purged.has(line.entityId) && !('isPurged' in line)
}
