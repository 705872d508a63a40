import { estimateTokens } from '../../support/text/token-estimate.ts'
import { cutTexts } from '../../support/text/reply-budget.ts'
import { violation } from '../../core/input/parse.ts'
import type { Fields } from '../dialect.ts'

/** With this, data and text of an answer stay below 10 kB together. */
const DEFAULT_TOKENS = 1500
const LEAST_TOKENS = 100
const MOST_TOKENS = 20_000

/** Bytes of data in an answer by default. */
const DEFAULT_BYTES = 4_800

/** Texts are cut to these lengths, one after the other, until everything fits. */
const LENGTHS = [8_000, 4_000, 2_000, 1_000, 500, 250, 120, 60] as const

/** How long an answer may be, as the caller says. */
export function tokensOf({ max_tokens }: Fields): number {
  if (max_tokens === undefined) return DEFAULT_TOKENS
  if (Number.isSafeInteger(max_tokens) && inRange(Number(max_tokens))) return Number(max_tokens)
  const message = `must be a whole number from ${LEAST_TOKENS} to ${MOST_TOKENS}`
  throw violation('max_tokens', 'wrong_type', message, { min: LEAST_TOKENS, max: MOST_TOKENS })
}

/** How many rows of about this size may be asked for. */
export function limitOf(args: Fields, { perRow, most }: { perRow: number; most: number }): number {
  const room = Math.max(1, Math.floor(tokensOf(args) / perRow))
  const { limit } = args
  return Math.min(typeof limit === 'number' ? limit : most, room)
}

/**
 * The same value with texts cut until the result that is made of it fits. Rows are never dropped, so that a cursor
 * still says where they end.
 */
export function shorten<T>(value: T, args: Fields, toResult: (value: T) => unknown = same): T {
  if (fits(toResult(value), args)) return value
  let cut = value
  for (const length of LENGTHS) {
    cut = cutTexts(value, length)
    if (fits(toResult(cut), args)) return cut
  }
  return cut
}

/** Rows with texts cut until what is made of each fits. */
export function shortenRows<T>(rows: readonly T[], args: Fields, toRow: (row: T) => unknown): T[] {
  return [...shorten(rows, args, (all) => all.map(toRow))]
}

/** As many rows as fit, but at least one. */
export function takeFitting<T>(
  rows: readonly T[],
  args: Fields,
  toRow: (row: T) => unknown = same,
): readonly T[] {
  let kept = rows
  while (kept.length > 1 && !fits(kept.map(toRow), args))
    kept = kept.slice(0, Math.ceil(kept.length * 0.8) - 1)
  return kept
}

function same(value: unknown): unknown {
  return value
}

export function fits(value: unknown, args: Fields): boolean {
  const text = JSON.stringify(value) ?? ''
  if (args['max_tokens'] === undefined && Buffer.byteLength(text) > DEFAULT_BYTES) return false
  const tokens = tokensOf(args)
  // No character costs more than a token.
  return text.length <= tokens || estimateTokens(text) <= tokens
}

function inRange(tokens: number): boolean {
  return tokens >= LEAST_TOKENS && tokens <= MOST_TOKENS
}
