import type { Repository } from '../git/repository.ts'
import type { LogLine } from './log-line.ts'
import { type LogTree, readSegment } from './log-tree.ts'
import { type Segment, toSegments } from './segment.ts'

type Git = Pick<Repository, 'ask' | 'run' | 'objects'>

/** A log of more small segments than this is packed. */
const MOST_SMALL = 64
/** A segment of so many bytes is large enough to be left alone. */
const LARGE_SIZE = 256 * 1024

export interface Compaction {
  readonly segments: readonly Segment[]
  readonly removed: ReadonlySet<string>
}

interface CompactOptions {
  /** Entities of which only that they were purged is kept. */
  readonly purged: ReadonlySet<string>
  /** Segments with lines that were set aside. */
  readonly aside: ReadonlySet<string>
}

/**
 * Puts the lines of many small segments into a few large ones: the same lines, each once. What is damaged or was set
 * aside is not touched: it stays in the segment in which it came, and is not written again as if it were from here.
 */
export async function compact(
  git: Git,
  tree: LogTree,
  { purged, aside }: CompactOptions,
): Promise<Compaction> {
  const infos = await git.objects.infos([...tree.values()])
  const small = [...tree].filter(
    ([name], at) => (infos[at]?.size ?? 0) < LARGE_SIZE && !aside.has(name),
  )
  const isCrowded = small.length > MOST_SMALL
  const lines = new Map<string, LogLine>()
  const removed = new Set<string>()
  for (const [name, blob] of purged.size > 0 ? tree : isCrowded ? small : []) {
    const segment = await readSegment(git, name, blob)
    const isTainted = segment.lines.some((line) => isOf(line, purged))
    const isWhole = segment.isIntact && segment.damaged + segment.refused.length === 0
    if (!isWhole || aside.has(name) || !(isCrowded || isTainted)) continue
    removed.add(name)
    for (const line of segment.lines) if (!isOf(line, purged)) lines.set(line.hash, line)
  }
  const texts = [...lines.values()].map(({ text }) => text)
  return { segments: [...toSegments(texts)], removed }
}

function isOf(line: LogLine, purged: ReadonlySet<string>): boolean {
  return purged.has(line.entityId) && !('isPurged' in line)
}
