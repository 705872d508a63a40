/** Ranks texts in lower case that contain all words: earlier matches and starts of words first. */
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
  // Only the best are sorted: a single letter matches nearly everything.
  const best: { readonly item: T; readonly score: number }[] = []
  for (const item of items) {
    const score = scoreOf(textOf(item), words)
    if (score === undefined || score >= (best[limit - 1]?.score ?? Infinity)) continue
    const at = best.findIndex((other) => other.score > score)
    best.splice(at === -1 ? best.length : at, 0, { item, score })
    if (best.length > limit) best.pop()
  }
  return best.map(({ item }) => item)
}

/** Asked for tens of thousands of titles with each key, of which most are ASCII. */
function isWordCharacter(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  if (code > 127) return /[\p{L}\p{N}]/u.test(text[at] ?? '')
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57)
}

/** Lower is better; undefined when a word is missing. */
function scoreOf(text: string, words: readonly string[]): number | undefined {
  let score = text.length / 1000
  for (const word of words) {
    const at = text.indexOf(word)
    if (at < 0) return undefined
    const isStart = at === 0 || !isWordCharacter(text, at - 1)
    score += (isStart ? 0 : 10) + at / 100
  }
  return score
}
