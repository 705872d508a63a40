/** Ranks texts that contain all words: earlier matches and starts of words first. */
export function findMatches<T>(
  items: readonly T[],
  textOf: (item: T) => string,
  wanted: string,
  limit: number,
): readonly T[] {
  const words = wanted
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return items.slice(0, limit)
  const scored: { readonly item: T; readonly score: number }[] = []
  for (const item of items) {
    const score = scoreOf(textOf(item).toLowerCase(), words)
    if (score !== undefined) scored.push({ item, score })
  }
  return scored
    .toSorted((one, other) => one.score - other.score)
    .slice(0, limit)
    .map(({ item }) => item)
}

/** Lower is better; undefined when a word is missing. */
function scoreOf(text: string, words: readonly string[]): number | undefined {
  let score = text.length / 1000
  for (const word of words) {
    const at = text.indexOf(word)
    if (at < 0) return undefined
    const isStart = at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')
    score += (isStart ? 0 : 10) + at / 100
  }
  return score
}
