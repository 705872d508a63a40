import type { LineRange } from '../record.ts'
import type { Block } from '../outline/compare-lines.ts'

/** Maps line numbers of one version of a text to another. */
export interface LineMap {
  /** The range of these lines in the newer text; undefined if none is left. */
  toNewer(range: LineRange): MappedRange | undefined
  toOlder(range: LineRange): MappedRange | undefined
}

interface MappedRange extends LineRange {
  /** How many of the lines are still there. */
  readonly kept: number
}

export function createLineMap(blocks: readonly Block[]): LineMap {
  return {
    toNewer: (range) => map(blocks, range, 'older', 'newer'),
    toOlder: (range) => map(blocks, range, 'newer', 'older'),
  }
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
