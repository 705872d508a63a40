import type * as z from 'zod'
import type { showCode } from '../../../annotation/read/margin.ts'
import { shortCommit } from '../../../annotation/show.ts'
import { type Block, dim, type Line, line, titled } from '../../../core/show.ts'
import type { AppReason, AppSource } from './views.ts'

const MOST_LINES = 2_000
const MOST_REASONS = 100
const MOST_TOLD = 20

export function toSource(view: z.output<typeof showCode.output>): AppSource {
  const { file, first_line, lines, regions, summaries = [] } = view
  const ofRegions = regions.map(({ intent, lines: place, freshness, commit, author }) => ({
    text: intent,
    ...(place !== undefined && { lines: { start: place.start, end: place.end } }),
    state: freshness.state,
    commit: commit.slice(0, 10),
    ...(author !== undefined && { by: author }),
  }))
  const ofCommits = summaries.map(({ text, state, commit, by }) => ({
    text,
    state,
    commit: commit.slice(0, 10),
    ...(by !== undefined && { by }),
  }))
  return {
    file,
    first_line,
    lines: lines.slice(0, MOST_LINES),
    is_cut: lines.length > MOST_LINES,
    reasons: [...ofRegions, ...ofCommits].slice(0, MOST_REASONS),
  }
}

/** The reasons without the source, which a model reads with its own tools. */
export function showReasons({ file, reasons }: AppSource): readonly Block[] {
  if (reasons.length === 0) return [line`${file}: no reasons are recorded`]
  const rest = reasons.length - MOST_TOLD
  return [
    line`${file}:`,
    ...reasons.slice(0, MOST_TOLD).map(showReason),
    ...(rest > 0 ? [dim(line`and ${rest} more; code_why tells them by lines`)] : []),
  ]
}

function showReason({ text, lines, state, commit, by }: AppReason): Line {
  const place = lines === undefined ? line`whole file` : line`lines ${lines.start}-${lines.end}`
  const who = by === undefined ? undefined : line`, ${titled(by)}`
  return line`${place}: ${titled(text)} (${state}, ${shortCommit(commit)}${who})`
}
