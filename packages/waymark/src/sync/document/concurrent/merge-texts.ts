import { diffArrays } from 'diff'
import { AddedLines } from './contradicting-lines.ts'

/** A range of lines of the common ancestor, and the lines that one side has there. */
interface Hunk {
  readonly start: number
  /** Exclusive; equal to `start` for an insertion. */
  readonly end: number
  readonly lines: readonly string[]
}

export interface MergedText {
  readonly text: string
  /** Both sides replaced the same lines by different ones, or added contradicting ones; only those of `later` stand. */
  readonly isContradiction: boolean
}

/** Texts that differ in more lines than this count as rewritten. */
const MOST_EDITS = 1_000

/** Three-way merge by lines. Where both sides replaced the same lines, `later` wins. */
export function mergeTexts(base: string, earlier: string, later: string): MergedText {
  const lines = toLines(base)
  const [first, second] = [toHunks(lines, toLines(earlier)), toHunks(lines, toLines(later))]
  const merged: string[] = []
  let isContradiction = false
  let at = 0
  for (const range of toClusters([...first, ...second])) {
    const chosen = choose(lines, [hunksWithin(first, range), hunksWithin(second, range)], range)
    merged.push(...lines.slice(at, range.start), ...chosen.lines)
    isContradiction ||= chosen.isContradiction === true
    at = range.end
  }
  return { text: [...merged, ...lines.slice(at)].join(''), isContradiction }
}

type Range = Pick<Hunk, 'start' | 'end'>
type Sides = readonly [earlier: readonly Hunk[], later: readonly Hunk[]]

/** What stands in one range after the merge. */
function choose(
  base: readonly string[],
  [first, second]: Sides,
  range: Range,
): { readonly lines: readonly string[]; readonly isContradiction?: true } {
  const [before, after] = [applied(base, first, range), applied(base, second, range)]
  if (first.length === 0 || isEqual(before, after)) return { lines: after }
  if (second.length === 0) return { lines: before }
  if (range.start === range.end) return addBoth(before, after)
  if (first.every(isDeletion)) return { lines: after }
  if (second.every(isDeletion)) return { lines: before }
  return { lines: after, isContradiction: true }
}

/** Lines that both sides added at one place stay, except those that a later one contradicts. */
function addBoth(before: readonly string[], after: readonly string[]) {
  const later = new AddedLines(after)
  const kept = before.filter((line) => !later.contradict(line))
  const lines = [...kept, ...after]
  return kept.length === before.length ? { lines } : { lines, isContradiction: true as const }
}

/** Each with its line end. */
function toLines(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/)
}

function toHunks(base: readonly string[], lines: readonly string[]): readonly Hunk[] {
  const parts = diffArrays([...base], [...lines], { maxEditLength: MOST_EDITS })
  if (parts === undefined) return [{ start: 0, end: base.length, lines }]
  const hunks: Hunk[] = []
  let at = 0
  for (const { added, removed, value } of parts) {
    const last = hunks.at(-1)
    const end = added ? at : at + value.length
    if (added || removed) {
      const next = { start: at, end, lines: added ? value : [] }
      // A removal and the insertion beside it are one replacement.
      if (last?.end === at) hunks[hunks.length - 1] = joined(last, next)
      else hunks.push(next)
    }
    at = end
  }
  return hunks
}

function joined(a: Hunk, b: Hunk): Hunk {
  return { start: a.start, end: b.end, lines: [...a.lines, ...b.lines] }
}

/** Ranges of the ancestor that either side has changed; overlapping ones are one. */
function toClusters(hunks: readonly Hunk[]): readonly Range[] {
  const clusters: { start: number; end: number }[] = []
  for (const { start, end } of hunks.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    const last = clusters.at(-1)
    const isSamePoint = last?.start === start && last.end === end
    if (last !== undefined && (start < last.end || isSamePoint)) last.end = Math.max(last.end, end)
    else clusters.push({ start, end })
  }
  return clusters
}

function hunksWithin(hunks: readonly Hunk[], { start, end }: Range): readonly Hunk[] {
  if (start === end) return hunks.filter((hunk) => hunk.start === start && hunk.end === end)
  return hunks.filter((hunk) => hunk.start < end && hunk.end > start)
}

function applied(base: readonly string[], hunks: readonly Hunk[], range: Range): readonly string[] {
  const lines: string[] = []
  let at = range.start
  for (const { start, end, lines: inserted } of hunks) {
    lines.push(...base.slice(at, start), ...inserted)
    at = end
  }
  return [...lines, ...base.slice(at, range.end)]
}

function isDeletion({ lines }: Hunk): boolean {
  return lines.length === 0
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, at) => line === b[at])
}
