/** What two versions of a text do not have in common at their beginning and at their end, in whole lines. */
export interface DifferingLines {
  readonly older: string
  readonly newer: string
}

/**
 * Most versions of a file differ in a few lines. Each line above and below these is in both, so that counts of lines
 * differ by as much in the whole as in these parts.
 */
export function differingLines(older: string, newer: string): DifferingLines {
  const shorter = Math.min(older.length, newer.length)
  let head = 0
  while (head < shorter && older.charCodeAt(head) === newer.charCodeAt(head)) head += 1
  if (head === shorter && older.length === newer.length) return { older: '', newer: '' }
  head = head === 0 ? 0 : older.lastIndexOf('\n', head - 1) + 1
  let tail = 0
  while (tail < shorter - head && charFromEnd(older, tail) === charFromEnd(newer, tail)) tail += 1
  const [olderEnd, newerEnd] = [older.length - tail, newer.length - tail]
  // From there on the lines are whole in both.
  const lineEnd = older.indexOf('\n', olderEnd)
  const kept = lineEnd === -1 ? older.length - olderEnd : lineEnd - olderEnd
  return {
    older: older.slice(head, olderEnd + kept),
    newer: newer.slice(head, newerEnd + kept),
  }
}

function charFromEnd(text: string, at: number): number {
  return text.charCodeAt(text.length - 1 - at)
}
