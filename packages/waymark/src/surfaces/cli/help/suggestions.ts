import type { Context } from '../../../core/context.ts'
import { isPerson } from '../../../agent/agent.ts'
import { parseWords } from '../../../search/text/query.ts'
import { Failure } from '../../../core/error.ts'
import type { Operation } from '../../../core/operation.ts'
import { findByWords } from '../../../search/modes.ts'
import { withCurrentIndex } from '../../../search/upkeep.ts'

const MOST = 3
/** Anything shorter is a typing error in a number rather than a word of a title. */
const SHORTEST = 3

/** Adds suggestions to a failure where the caller gave words of a title instead of a number. */
export async function withSuggestions(context: Context, error: unknown): Promise<unknown> {
  if (!(error instanceof Failure)) return error
  const words = wordsIn(error)
  if (words === undefined) return error
  const page = { filter: { kinds: ['entity' as const] }, limit: MOST, from: 0 }
  const { results } = await findByWords(await withCurrentIndex(context), parseWords(words), page)
  const suggestions = results.map(({ number, title, type }) => ({ number, type, title }))
  if (suggestions.length === 0) return error
  return new Failure(error.code, error.message, {
    details: { ...error.details, suggestions },
    cause: error,
  })
}

/** Adds the `--force` hint to a lease conflict, for a person who may end the lease. */
export function withOverride({ agent }: Context, { input }: Operation, error: unknown): unknown {
  if (!(error instanceof Failure) || error.details.reason !== 'held') return error
  if (!isPerson(agent) || !('force' in input.shape)) return error
  const { code, message, details } = error
  return new Failure(code, `${message}; --force ends its lease`, { details, cause: error })
}

function wordsIn({ code, details }: Failure): string | undefined {
  const { rule, value, id, kind } = details
  const isNoId =
    code === 'invalid_input' && rule === 'bad_format' && REFERENCES.has(details['field'])
  const isUnknown = code === 'not_found' && (kind === 'entity' || kind === 'task')
  const text = isNoId ? value : isUnknown ? id : undefined
  const isWords = typeof text === 'string' && text.replaceAll(/[^\p{L}]/gu, '').length >= SHORTEST
  return isWords ? text : undefined
}

const REFERENCES: ReadonlySet<unknown> = new Set(['id', 'source', 'target', 'from', 'to', 'parent'])
