import * as z from 'zod'
import type { SearchPage, SearchResult } from '../../search/page.ts'
import { parseSearchQuery } from '../../search/text/query.ts'
import { searchByMeaning, searchByQuery, searchByText } from '../../search/operations.ts'
import { parse, violation } from '../../core/input/parse.ts'
import type { DialectTool, Fields } from '../dialect.ts'
import { capped, define, limit, type } from './define-tool.ts'
import { fromSpecStatus } from './shapes.ts'

const ENTITIES = { kinds: ['entity'], whole: true }
const QUERIES = [
  'query',
  'semantic_query',
  'type',
  'status',
  'tags',
  'created_after',
  'created_before',
]

const query = z.string().describe('Words to look for; "quotes" make a phrase')
const status = z.string()
const cursor = z.string().describe('next_cursor of the page before')

export function searchTools(): readonly DialectTool[] {
  return [
    define('search_fulltext', 'Search titles, contents and tags for words', searchByText, {
      input: z.object({
        query,
        type: type.optional(),
        limit: limit.optional(),
        cursor: cursor.optional(),
      }),
      toInput: (args) => ({ ...capped(args), ...ENTITIES }),
      toResult: ({ results, ...page }, { query }) => ({
        results: results.map(({ id, number, type, title, snippet, score }) => ({
          id,
          sequence_number: number,
          type,
          title,
          ...(snippet !== undefined && { snippet }),
          score,
        })),
        query,
        ...page,
      }),
    }),
    define(
      'search_semantic',
      'Search for similar entities: by meaning with an embedding model, else by spelling',
      searchByMeaning,
      {
        input: z.object({
          query: z.string().describe('A question or a few words'),
          type: type.optional(),
          limit: limit.optional(),
          threshold: z.number().optional().describe('How similar at least, 0 to 1'),
          cursor: cursor.optional(),
        }),
        toInput: (args) => ({ ...capped(args), ...ENTITIES }),
        toResult: ({ results, ...page }, { query }) => ({
          results: results.map(toMatch),
          query,
          ...page,
        }),
      },
    ),
    define('search_query', 'Search by words, filters and similarity', searchByQuery, {
      input: z.object({
        query: z
          .string()
          .optional()
          .describe('Words and filters: type:task status:todo tag:x created:>2026-01-01'),
        semantic_query: z
          .string()
          .optional()
          .describe('Also similar to this text, by the model or by spelling'),
        type: type.optional(),
        status: status.optional(),
        tags: z.array(z.string()).optional().describe('All of them'),
        created_after: z.string().optional().describe('Date or time'),
        created_before: z.string().optional().describe('Date or time'),
        limit: limit.optional(),
        cursor: cursor.optional(),
      }),
      toInput: (args) => {
        if (QUERIES.every((name) => args[name] === undefined)) {
          throw violation('query', 'required', 'is required, or semantic_query, or a filter')
        }
        const { status: _, ...rest } = args
        return { ...capped(rest), ...ENTITIES, statuses: toStatuses(args) }
      },
      toResult: ({ results, mode, ...page }, args) => ({
        results: results.map((result) => ({
          ...toMatch(result),
          match_type: toMatchType(mode, result),
        })),
        filters: Object.fromEntries(
          QUERIES.slice(2).flatMap((name) =>
            args[name] === undefined ? [] : [[name, args[name]]],
          ),
        ),
        mode,
        ...page,
      }),
    }),
  ]
}

/** What the engine calls the wanted status, given as a field or, without one, in the words. */
function toStatuses({ query, ...args }: Fields): readonly string[] {
  const given = parse(status.optional(), args['status'], ['status'])
  if (given !== undefined) return fromSpecStatus(given)
  const { statuses = [] } = typeof query === 'string' ? parseSearchQuery(query).filter : {}
  return [...new Set(statuses.flatMap(fromSpecStatus))]
}

function toMatch({ id, number, type, title, snippet, score }: SearchResult): Fields {
  return {
    entity_id: id,
    entity_type: type,
    sequence_number: number,
    title,
    ...(snippet !== undefined && { snippet }),
    ...(score !== undefined && { score }),
  }
}

function toMatchType(
  mode: SearchPage['mode'],
  { matched_by }: SearchResult,
): 'fulltext' | 'semantic' {
  return mode === 'semantic' || matched_by === 'meaning' || matched_by === 'spelling'
    ? 'semantic'
    : 'fulltext'
}
