import { FARTHEST_RANK } from '../fields.ts'

/** Between neighbours, so that many tasks fit between two of them before others must move along. */
const STEP = 2 ** 16

export interface Placement {
  /** Of the task that is placed. */
  readonly rank: number
  /** The tasks of the list that must move along, by their index. */
  readonly moved: ReadonlyMap<number, number>
}

/** Part of an ordered list: the ranks in it, and whether it goes on before and after them. */
export interface Neighbours {
  readonly ranks: readonly number[]
  readonly isStart: boolean
  readonly isEnd: boolean
}

/**
 * The rank of a task that is put before the one at `index`. Tasks that were never placed share one rank: for room between
 * two of those, the ones on the shorter side move along. Undefined if that side is longer than the part that is known.
 */
export function placeAt(
  { ranks, isStart, isEnd }: Neighbours,
  index: number,
): Placement | undefined {
  const [above, below] = [ranks[index - 1], ranks[index]]
  if (above === undefined && !isStart) return undefined
  if (below === undefined && !isEnd) return undefined
  for (let count = 0; count <= ranks.length; count += 1) {
    const up = fill(ranks, { first: index - count, count, task: count, isStart, isEnd })
    if (up !== undefined) return up
    const down = fill(ranks, { first: index, count, task: 0, isStart, isEnd })
    if (down !== undefined) return down
  }
  return undefined
}

interface Run extends Pick<Neighbours, 'isStart' | 'isEnd'> {
  /** Where the run begins in the list. */
  readonly first: number
  /** How many tasks of the list it has. */
  readonly count: number
  /** Where in the run the placed task stands. */
  readonly task: number
}

/** New ranks for a run and the placed task in it, strictly between the ranks around the run. */
function fill(
  ranks: readonly number[],
  { first, count, task, isStart, isEnd }: Run,
): Placement | undefined {
  const [before, after] = [ranks[first - 1], ranks[first + count]]
  if (first < 0 || first + count > ranks.length) return undefined
  if ((before === undefined && !isStart) || (after === undefined && !isEnd)) return undefined
  const size = count + 1
  const room = STEP * (size + Number(after !== undefined))
  const low = before ?? Math.max((after ?? 0) - room, -FARTHEST_RANK - 1)
  const high = after ?? Math.min(low + STEP * (size + 1), FARTHEST_RANK + 1)
  const gap = (high - low) / (size + 1)
  if (gap < 1) return undefined
  const rankAt = (place: number): number => Math.floor(low + gap * (place + 1))
  const moved = new Map<number, number>()
  for (let at = 0; at < count; at += 1) moved.set(first + at, rankAt(at < task ? at : at + 1))
  return { rank: rankAt(task), moved }
}
