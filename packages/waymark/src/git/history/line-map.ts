import type { LineRange } from '../../domain/code/record.ts'
import { linesOf } from '../current-file.ts'

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

/** Two texts with less in common than this are not worth comparing any further. */
const MOST_CHANGES = 20_000

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
  const { diffArrays } = await import('diff')
  const changes = diffArrays([...linesOf(older)], [...linesOf(newer)], {
    maxEditLength: MOST_CHANGES,
  })
  const blocks: Block[] = []
  let [atOlder, atNewer] = [1, 1]
  for (const { added, removed, value } of changes ?? []) {
    const { length: count } = value
    if (!added && !removed) blocks.push({ older: atOlder, newer: atNewer, count })
    if (!added) atOlder += count
    if (!removed) atNewer += count
  }
  return blocks
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
