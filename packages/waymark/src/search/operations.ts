import * as z from 'zod'
import { entityType } from '../entity/entity.ts'
import { parseMoments, parseSearchQuery, parseWords, type SearchFilter } from './text/query.ts'
import { defineOperation } from '../core/operation.ts'
import { parse } from '../core/input/parse.ts'
import { whole } from '../core/input/schema.ts'
import { findBest, findByBoth, findByFilter, findByMeaning, findByWords } from './modes.ts'
import { findAsTyped } from './as-you-type.ts'
import { cursor, parseCursor, searchPage } from './page.ts'
import { showSearch, showSearchToAgent } from './show.ts'
import { withCurrentIndex } from './upkeep.ts'
import { allStatuses, status, statuses } from '../task/state/status-filter.ts'

const LONGEST_QUERY = 10_000

const query = z.string().max(LONGEST_QUERY)
const words = query.trim().min(1)
const type = entityType.optional().describe('Only this type of entity')
const kinds = z
  .array(z.enum(['entity', 'message', 'annotation', 'artifact']))
  .optional()
  .describe('Only these kinds of things; all when absent')
const limit = z.int().min(1).max(100)
const page = { kinds, cursor: cursor.optional(), whole }

export const searchByText = defineOperation({
  name: 'search.text',
  summary: 'Search all text for words or "phrases"; other forms and typing errors are tried too',
  example: '"connection pool"',
  effect: 'read',
  input: z.object({
    query: words.describe('Words to look for; nothing but quotes has a meaning'),
    type,
    limit: limit.default(20).describe('How many at most'),
    as_you_type: z
      .boolean()
      .default(false)
      .describe('The last word is still being typed: all words must occur, titles come first'),
    ...page,
  }),
  output: searchPage,
  positional: ['query'],
  async run(context, { query, type, kinds, limit, cursor, whole, as_you_type }) {
    const indexed = await withCurrentIndex(context)
    const from = parseCursor(cursor)
    const options = { filter: { type, kinds }, limit, from, whole }
    if (as_you_type) return await findAsTyped(indexed, query, options)
    return await findByWords(indexed, parseWords(query), options)
  },
  show: showSearch,
})

export const searchByMeaning = defineOperation({
  name: 'search.semantic',
  summary: 'Search for similar texts: by meaning with an embedding model, else by spelling',
  example: '"why do we not use a connection pool"',
  effect: 'read',
  input: z.object({
    query: words.describe('A question or a few words'),
    type,
    limit: limit.default(10).describe('How many at most'),
    threshold: z.number().min(0).max(1).optional().describe('How similar at least, 0 to 1'),
    ...page,
  }),
  output: searchPage,
  positional: ['query'],
  async run(context, { query, type, kinds, limit, cursor, threshold, whole }) {
    const indexed = await withCurrentIndex(context)
    const from = parseCursor(cursor)
    const options = { filter: { type, kinds }, limit, from, threshold, whole }
    return await findByMeaning(indexed, query, parseWords(query), options)
  },
  show: showSearch,
})

export const searchByQuery = defineOperation({
  name: 'search.query',
  summary: 'Search with filters such as type:decision status:accepted tag:db created:>2026-11-01',
  example: '"retry type:decision status:accepted"',
  off: { semantic: 'Search by words alone' },
  effect: 'read',
  input: z.object({
    query: query.default('').describe('Words, "phrases" and filters; filters alone list what fits'),
    semantic: z
      .boolean()
      .optional()
      .describe(
        'Also judge by the embedding model, or by spelling without one; when absent, if one is configured',
      ),
    semantic_query: words.optional().describe('Judge the meaning by this text instead'),
    type,
    status,
    statuses: statuses.default([]).describe('Only with one of these statuses'),
    tags: z.array(z.string()).max(20).default([]).describe('Only with all these tags'),
    created_after: z.string().optional().describe('Date or time; not before it'),
    created_before: z.string().optional().describe('Date or time; not after it'),
    limit: limit.default(20).describe('How many at most'),
    max_tokens: z.int().min(100).optional().describe('Fill about this many tokens with results'),
    ...page,
  }),
  output: searchPage,
  positional: ['query'],
  async run(context, input) {
    const indexed = await withCurrentIndex(context)
    const { wanted, filter, text } = parseSearchQuery(input.query)
    const options = {
      filter: { ...checkedType(filter), ...givenFilter(input, filter), kinds: input.kinds },
      limit: input.limit,
      from: parseCursor(input.cursor),
      whole: input.whole,
      maxTokens: input.max_tokens,
    }
    const meaning = input.semantic_query ?? text
    if (wanted.length === 0 && input.semantic_query === undefined) {
      return await findByFilter(indexed, options)
    }
    if (wanted.length === 0) {
      return await findByMeaning(indexed, meaning, parseWords(meaning), options)
    }
    const semantic = input.semantic ?? (input.semantic_query !== undefined || undefined)
    if (semantic === undefined) return await findBest(indexed, meaning, wanted, options)
    return semantic
      ? await findByBoth(indexed, meaning, wanted, options)
      : await findByWords(indexed, wanted, options)
  },
  show: showSearch,
  showToAgent: showSearchToAgent,
})

interface GivenFilter {
  readonly type?: string | undefined
  readonly status?: string | undefined
  readonly statuses: readonly string[]
  readonly tags: readonly string[]
  readonly created_after?: string | undefined
  readonly created_before?: string | undefined
}

/** `type:decisions` is one of a few words, and a wrong one is told rather than finding nothing. */
function checkedType(filter: SearchFilter): SearchFilter {
  if (filter.type === undefined) return filter
  return { ...filter, type: parse(entityType, filter.type, ['query', 'type']) }
}

/** Filters given as fields; they go before those in the text, and tags add up. */
function givenFilter(given: GivenFilter, { tags = [] }: SearchFilter): SearchFilter {
  const { type, created_after: after, created_before: before } = given
  const statuses = allStatuses(given)
  return {
    ...(type !== undefined && { type }),
    ...(statuses.length > 0 && { statuses }),
    ...(given.tags.length > 0 && { tags: [...tags, ...given.tags] }),
    ...(after !== undefined && parseMoments(`>${after}`, 'created_after')),
    ...(before !== undefined && parseMoments(`<${before}`, 'created_before')),
  }
}
