import * as z from 'zod'
import { entityType } from '../domain/entity.ts'
import { parseSearchQuery, parseWords, type SearchFilter } from '../domain/search/query.ts'
import { defineOperation } from '../operation.ts'
import { parse } from '../parse.ts'
import { findByBoth, findByFilter, findByMeaning, findByWords } from './search-modes.ts'
import { cursor, parseCursor, searchPage } from './search-page.ts'
import { ensureIndex } from './search-upkeep.ts'

const LONGEST_QUERY = 10_000

const query = z.string().max(LONGEST_QUERY)
const words = query.trim().min(1)
const type = entityType.optional().describe('Only this type of entity')
const kinds = z
  .array(z.enum(['entity', 'message', 'annotation']))
  .optional()
  .describe('Only these kinds of things; all when absent')
const limit = z.int().min(1).max(100)
const page = { kinds, cursor: cursor.optional() }

export const searchByText = defineOperation({
  name: 'search.text',
  summary: 'Search all text for words or "phrases"; other forms and typing errors are tried too',
  effect: 'read',
  input: z.object({
    query: words.describe('Words to look for; nothing but quotes has a meaning'),
    type,
    limit: limit.default(20).describe('How many at most'),
    ...page,
  }),
  output: searchPage,
  positional: ['query'],
  async run(context, { query, type, kinds, limit, cursor }) {
    await ensureIndex(context)
    const from = parseCursor(cursor)
    return await findByWords(context, parseWords(query), { filter: { type, kinds }, limit, from })
  },
})

export const searchByMeaning = defineOperation({
  name: 'search.semantic',
  summary: 'Search for texts that mean much the same as this one; the answer names the model',
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
  async run(context, { query, type, kinds, limit, cursor, threshold }) {
    await ensureIndex(context)
    const options = { filter: { type, kinds }, limit, from: parseCursor(cursor), threshold }
    return await findByMeaning(context, query, parseWords(query), options)
  },
})

export const searchByQuery = defineOperation({
  name: 'search.query',
  summary: 'Search with filters such as type:decision status:accepted tag:db created:>2026-11-01',
  effect: 'read',
  input: z.object({
    query: query.default('').describe('Words, "phrases" and filters; filters alone list what fits'),
    semantic: z
      .boolean()
      .optional()
      .describe('Also judge by meaning; when absent, if an embedding model is configured'),
    limit: limit.default(20).describe('How many at most'),
    ...page,
  }),
  output: searchPage,
  positional: ['query'],
  async run(context, { query, semantic, kinds, limit, cursor }) {
    await ensureIndex(context)
    const { wanted, filter, text } = parseSearchQuery(query)
    const options = {
      filter: { ...filter, ...checkedType(filter), kinds },
      limit,
      from: parseCursor(cursor),
    }
    if (wanted.length === 0) return await findByFilter(context, options)
    return (semantic ?? !context.semantic.embedder.isApproximate)
      ? await findByBoth(context, text, wanted, options)
      : await findByWords(context, wanted, options)
  },
})

/** `type:decisions` is one of a few words, and a wrong one is told rather than finding nothing. */
function checkedType({ type }: SearchFilter): SearchFilter {
  return type === undefined ? {} : { type: parse(entityType, type, ['query', 'type']) }
}
