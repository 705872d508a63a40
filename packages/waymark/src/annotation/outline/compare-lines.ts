import { hashCode } from '../code-text.ts'
import { countLines, linesOf } from './lines.ts'
import type { WantedLines } from './code-workers.ts'

/** Lines that two versions of a text have in common, counted from 1. */
export interface Block {
  readonly older: number
  readonly newer: number
  readonly count: number
}

/**
 * Two texts with less in common than this are not compared any further: the work grows with the square of it. `short` is
 * what the event loop can wait for; `long` is for a thread of its own.
 */
const EFFORTS = {
  short: { maxEditLength: 200, timeout: 20 },
  long: { maxEditLength: 2_000, timeout: 2_000 },
} as const

/** A text of the largest size that is read would have eight times as many empty lines, and take gigabytes. */
const MOST_LINES = 1_000_000

/** The blocks that two texts have in common. Undefined if a short effort is not enough to find out. */
export async function compareLines(
  older: string,
  newer: string,
  effort: keyof typeof EFFORTS,
): Promise<readonly Block[] | undefined> {
  if (Math.max(countLines(older), countLines(newer)) > MOST_LINES) return []
  const [before, after] = [plainLines(older), plainLines(newer)]
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before[head] === after[head]) head += 1
  let tail = 0
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1
  const [olderEnd, newerEnd] = [before.length - tail, after.length - tail]
  const { diffArrays } = await import('diff')
  const [changed, changing] = [before.slice(head, olderEnd), after.slice(head, newerEnd)]
  const changes = diffArrays(changed, changing, EFFORTS[effort])
  if (changes === undefined && effort === 'short') return undefined
  // Where too much in between has changed, what stands above and below it is still known.
  return [
    { older: 1, newer: 1, count: head },
    ...toBlocks(changes ?? [], head),
    { older: olderEnd + 1, newer: newerEnd + 1, count: tail },
  ].filter(({ count }) => count > 0)
}

interface Change {
  readonly added: boolean
  readonly removed: boolean
  readonly value: readonly string[]
}

function toBlocks(changes: readonly Change[], head: number): readonly Block[] {
  const blocks: Block[] = []
  let [older, newer] = [head + 1, head + 1]
  for (const { added, removed, value } of changes) {
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

/** Looking for lines by their content costs as much as the file has lines times as many as are looked for. */
const MOST_LINES_COMPARED = 200_000
const MOST_CHARACTERS_COMPARED = 100_000_000

/** The first of the lines that have a hash together; undefined if there are none. */
export function findLines(text: string, { count, layout, hash }: WantedLines): number | undefined {
  if (countLines(text) * count > MOST_LINES_COMPARED) return undefined
  if (text.length * count > MOST_CHARACTERS_COMPARED) return undefined
  const lines = linesOf(text)
  for (let at = 0; at + count <= lines.length; at += 1) {
    if (hashCode(lines.slice(at, at + count).join('\n'), layout) === hash) return at + 1
  }
  return undefined
}
