import type { LineRange } from '../record.ts'
import { linesOf } from '../../git/current-file.ts'

/** Lines that two versions of a text have in common, in blocks. */
export interface LineMap {
  /** Where these lines of the older text stand in the newer one; undefined if none of them does. */
  toNewer(range: LineRange): MappedRange | undefined
  toOlder(range: LineRange): MappedRange | undefined
}

interface MappedRange extends LineRange {
  /** How many of the lines are still there. */
  readonly kept: number
}

interface Block {
  readonly older: number
  readonly newer: number
  readonly count: number
}

/**
 * Two texts with less in common than this are not compared any further: the work grows with the square of it, and
 * nobody else is served meanwhile. At 2,000 it is a quarter of a second; lines that repeat make it more.
 */
const MOST_CHANGES = 2_000
const LONGEST_MS = 2_000

export async function mapLines(older: string, newer: string): Promise<LineMap> {
  const blocks = older === newer ? [everything(older)] : await commonBlocks(older, newer)
  return {
    toNewer: (range) => map(blocks, range, 'older', 'newer'),
    toOlder: (range) => map(blocks, range, 'newer', 'older'),
  }
}

function everything(text: string): Block {
  return { older: 1, newer: 1, count: linesOf(text).length }
}

async function commonBlocks(older: string, newer: string): Promise<readonly Block[]> {
  const [before, after] = [plainLines(older), plainLines(newer)]
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before[head] === after[head]) head += 1
  let tail = 0
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1
  const [olderEnd, newerEnd] = [before.length - tail, after.length - tail]
  // Where too much in between has changed, what stands above and below it is still known.
  const between = await blocksBetween(before.slice(head, olderEnd), after.slice(head, newerEnd))
  return [
    { older: 1, newer: 1, count: head },
    ...between.map(({ older, newer, count }) => ({
      older: older + head,
      newer: newer + head,
      count,
    })),
    { older: olderEnd + 1, newer: newerEnd + 1, count: tail },
  ].filter(({ count }) => count > 0)
}

async function blocksBetween(before: string[], after: string[]): Promise<readonly Block[]> {
  const { diffArrays } = await import('diff')
  const limits = { maxEditLength: MOST_CHANGES, timeout: LONGEST_MS }
  const changes = diffArrays(before, after, limits)
  const blocks: Block[] = []
  let [older, newer] = [1, 1]
  for (const { added, removed, value } of changes ?? []) {
    const { length: count } = value
    if (!added && !removed) blocks.push({ older, newer, count })
    if (!added) older += count
    if (!removed) newer += count
  }
  return blocks
}

/** Without what is left of line ends that Git converts on the way out. */
function plainLines(text: string): string[] {
  return linesOf(text).map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
}

function map(
  blocks: readonly Block[],
  { start, end }: LineRange,
  from: 'older' | 'newer',
  to: 'older' | 'newer',
): MappedRange | undefined {
  const parts = blocks.flatMap((block) => {
    const first = Math.max(block[from], start)
    const last = Math.min(block[from] + block.count - 1, end)
    const shift = block[to] - block[from]
    return first > last ? [] : [{ start: first + shift, end: last + shift }]
  })
  const [head, tail] = [parts[0], parts.at(-1)]
  if (head === undefined || tail === undefined) return undefined
  const kept = parts.reduce((sum, part) => sum + part.end - part.start + 1, 0)
  return { start: head.start, end: tail.end, kept }
}
