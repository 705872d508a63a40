/** The last of some changes, sorted by time, that has happened at a tick. */
export function latestAt<T extends { readonly tick: number }>(
  changes: readonly T[],
  tick: number,
): T | undefined {
  let low = 0
  let high = changes.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((changes[middle]?.tick ?? Infinity) <= tick) low = middle + 1
    else high = middle
  }
  return changes[low - 1]
}
