import { diffArrays } from 'diff'

/** What an editor changes, as it was at one revision or will be at the next. */
export interface Version {
  readonly title: string
  readonly text: string
}

/** Merges two changes of one version; undefined when theirs is no change. */
export function mergeVersions(
  base: Version,
  mine: Version,
  theirs: Version,
): (Version & Merged) | undefined {
  if (theirs.title === base.title && theirs.text === base.text) return undefined
  const { text, isClean } = mergeTexts(base.text, mine.text, theirs.text)
  const isOwnTitle = mine.title !== base.title
  const isTitleClean = !isOwnTitle || theirs.title === base.title || theirs.title === mine.title
  return {
    title: isOwnTitle ? mine.title : theirs.title,
    text,
    isClean: isClean && isTitleClean,
  }
}

interface Merged {
  readonly text: string
  /** False when both changed the same lines; then both versions are in the text. */
  readonly isClean: boolean
}

/** Lines of `base` from `start` to `end` that became `lines`. */
interface Hunk {
  readonly start: number
  readonly end: number
  readonly lines: readonly string[]
}

/** Merges two changes of one text by lines. Where both changed the same place, both are kept, mine first. */
export function mergeTexts(base: string, mine: string, theirs: string): Merged {
  const lines = base.split('\n')
  const own = toHunks(lines, mine.split('\n'))
  const other = toHunks(lines, theirs.split('\n'))
  const out: string[] = []
  let isClean = true
  let at = 0
  while (own.length > 0 || other.length > 0) {
    const isOwnFirst =
      other[0] === undefined || (own[0] !== undefined && own[0].start <= other[0].start)
    const [hunk, rivals] = isOwnFirst ? [own.shift(), other] : [other.shift(), own]
    if (hunk === undefined) break
    const rival = rivals[0] !== undefined && overlaps(hunk, rivals[0]) ? rivals.shift() : undefined
    out.push(...lines.slice(at, hunk.start))
    if (rival === undefined || sameLines(hunk.lines, rival.lines)) out.push(...hunk.lines)
    else {
      isClean = false
      const [first, second] = isOwnFirst ? [hunk, rival] : [rival, hunk]
      out.push(...first.lines, ...second.lines)
    }
    at = Math.max(hunk.end, rival?.end ?? 0)
  }
  out.push(...lines.slice(at))
  return { text: out.join('\n'), isClean }
}

function toHunks(base: readonly string[], changed: readonly string[]): Hunk[] {
  const hunks: Hunk[] = []
  let at = 0
  for (const { added, removed, value } of diffArrays([...base], [...changed])) {
    const last = hunks.at(-1)
    if (added) {
      if (last !== undefined && last.end === at && last.lines.length === 0)
        hunks[hunks.length - 1] = { ...last, lines: value }
      else hunks.push({ start: at, end: at, lines: value })
    } else if (removed) {
      hunks.push({ start: at, end: at + value.length, lines: [] })
      at += value.length
    } else at += value.length
  }
  return hunks
}

function overlaps(one: Hunk, other: Hunk): boolean {
  if (one.start === other.start) return true
  return one.start < other.end && other.start < one.end
}

function sameLines(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, index) => line === other[index])
}
