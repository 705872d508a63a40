/** The index at which a value belongs in a sorted list, by bisection. */
export function placeIn<T>(
  list: readonly T[],
  value: T,
  compare: (one: T, other: T) => number,
): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (compare(list[middle] as T, value) < 0) low = middle + 1
    else high = middle
  }
  return low
}
