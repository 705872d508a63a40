const MOST_SUGGESTIONS = 3
const SHORTEST_FRAGMENT = 4

/** The words that a misspelt one may have meant, nearest first: a few typing errors away, or containing it. */
export function nearestWords(typed: string, known: readonly string[]): readonly string[] {
  const allowed = typed.length < 4 ? 0 : typed.length < 7 ? 1 : 2
  const near = known
    .map((word) => ({ word, distance: distanceBetween(typed, word, allowed) }))
    .filter(({ distance }) => distance <= allowed)
    .toSorted((a, b) => a.distance - b.distance)
  if (near.length > 0) return near.slice(0, MOST_SUGGESTIONS).map(({ word }) => word)
  if (typed.length < SHORTEST_FRAGMENT) return []
  return known.filter((word) => word.includes(typed)).slice(0, MOST_SUGGESTIONS)
}

/** The same for names of which one way to write them is as good as another: `toPlain` makes them equal. */
export function nearestNames(
  typed: string,
  known: readonly string[],
  toPlain: (name: string) => string,
): readonly string[] {
  const plain = known.map(toPlain)
  return nearestWords(toPlain(typed), plain).map((word) => known[plain.indexOf(word)] ?? word)
}

/** How many letters must be added, dropped, changed or swapped with their neighbour; Infinity beyond `limit`. */
export function distanceBetween(from: string, to: string, limit: number): number {
  if (Math.abs(from.length - to.length) > limit) return Infinity
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row += 1) {
    const current: number[] = []
    if (row <= limit) current[0] = row
    let least = current[0] ?? Infinity
    // Further from the diagonal there are more letters to add or drop than are allowed.
    const end = Math.min(to.length, row + limit)
    for (let column = Math.max(1, row - limit); column <= end; column += 1) {
      const same = from[row - 1] === to[column - 1]
      const swapped =
        row > 1 &&
        column > 1 &&
        from[row - 1] === to[column - 2] &&
        from[row - 2] === to[column - 1]
      const cost = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
        swapped ? at(beforeLast, column - 2) + 1 : Infinity,
      )
      current[column] = cost
      least = Math.min(least, cost)
    }
    if (least > limit) return Infinity
    ;[beforeLast, last] = [last, current]
  }
  const distance = at(last, to.length)
  return distance > limit ? Infinity : distance
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity
}
