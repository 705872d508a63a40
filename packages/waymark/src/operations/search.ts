import * as z from 'zod'
import type { Context } from '../context.ts'
import { entityType } from '../domain/entity.ts'
import { toMatch } from '../domain/search/plan.ts'
import {
  parseSearchQuery,
  parseWords,
  type SearchFilter,
  type Wanted,
} from '../domain/search/query.ts'
import { defineOperation } from '../operation.ts'
import { parse } from '../parse.ts'
import { cursor, parseCursor, type SearchPage, searchPage, toResults } from './search-page.ts'
import { ensureIndex } from './search-upkeep.ts'
import { searchText } from './text-search.ts'

const LONGEST_QUERY = 10_000
const COUNTED = 1_000

const query = z.string().max(LONGEST_QUERY)
const limit = z.int().min(1).max(100).default(20).describe('How many at most')
const kinds = z
  .array(z.enum(['entity', 'message', 'annotation']))
  .optional()
  .describe('Only these kinds of things; all when absent')

export const searchByText = defineOperation({
  name: 'search.text',
  summary: 'Search all text for words or "phrases"; other forms and typing errors are tried too',
  effect: 'read',
  input: z.object({
    query: query.trim().min(1).describe('Words to look for; nothing but quotes has a meaning'),
    type: entityType.optional().describe('Only this type of entity'),
    kinds,
    limit,
    cursor: cursor.optional(),
  }),
  output: searchPage,
  positional: ['query'],
  async run(context, input) {
    await ensureIndex(context)
    return await findText(context, parseWords(input.query), {
      filter: { type: input.type, kinds: input.kinds },
      limit: input.limit,
      from: parseCursor(input.cursor),
    })
  },
})

export const searchByQuery = defineOperation({
  name: 'search.query',
  summary: 'Search with filters such as type:decision status:accepted tag:db created:>2026-11-01',
  effect: 'read',
  input: z.object({
    query: query.default('').describe('Words, "phrases" and filters; filters alone list what fits'),
    kinds,
    limit,
    cursor: cursor.optional(),
  }),
  output: searchPage,
  positional: ['query'],
  async run(context, input) {
    await ensureIndex(context)
    const { wanted, filter } = parseSearchQuery(input.query)
    const options = {
      filter: { ...filter, ...checkedType(filter), kinds: input.kinds },
      limit: input.limit,
      from: parseCursor(input.cursor),
    }
    return wanted.length > 0
      ? await findText(context, wanted, options)
      : await listFiltered(context, options)
  },
})

interface PageOptions {
  readonly filter: SearchFilter
  readonly limit: number
  readonly from: number
}

async function findText(
  context: Context,
  wanted: readonly Wanted[],
  { filter, limit, from }: PageOptions,
): Promise<SearchPage> {
  const { search } = context.store
  const found = await searchText(search, wanted, { filter, now: context.now() })
  const { mode, ranked, isCut, clauses, corrections } = found
  const results = await toResults(context.store, ranked.slice(from, from + limit), clauses)
  const next = from + results.length
  return {
    mode,
    ...(corrections.size > 0 && { corrected: toCorrected(corrections) }),
    results,
    total: ranked.length,
    ...(isCut && { total_is_minimum: true as const }),
    ...(results.length > 0 && next < ranked.length && { next_cursor: String(next) }),
  }
}

/** Without words there is nothing to rank by: what fits, newest first. Here the cursor is the last one's id. */
async function listFiltered(
  context: Context,
  { filter, limit, from }: PageOptions,
): Promise<SearchPage> {
  const { search } = context.store
  const match = toMatch([], filter, 'exact')
  const ids = await search.list(match, { limit: limit + 1, ...(from > 0 && { before: from }) })
  const page = ids.slice(0, limit).map((id) => ({ id }))
  const results = await toResults(context.store, page, [])
  const last = page[results.length - 1]?.id
  const total = await search.count(match, COUNTED)
  return {
    mode: 'filter',
    results,
    total,
    ...(total === COUNTED && { total_is_minimum: true as const }),
    ...(results.length < ids.length && last !== undefined && { next_cursor: String(last) }),
  }
}

/** `type:decisions` is one of a few words, and a wrong one is told rather than finding nothing. */
function checkedType({ type }: SearchFilter): SearchFilter {
  return type === undefined ? {} : { type: parse(entityType, type, ['query', 'type']) }
}

function toCorrected(
  corrections: ReadonlyMap<string, readonly string[]>,
): Record<string, string[]> {
  return Object.fromEntries([...corrections].map(([typed, meant]) => [typed, [...meant]]))
}
