import * as z from 'zod'
import { createEntity, getEntity, updateEntity } from '../../../entity/operations.ts'
import { describeLinked } from '../../../entity/linked/show.ts'
import { distinctName, type EntityView } from '../../../entity/view.ts'
import { getMessage } from '../../../message/operations.ts'
import type { SearchPage, SearchResult } from '../../../search/page.ts'
import { searchByQuery } from '../../../search/operations.ts'
import { violation } from '../../../core/input/parse.ts'
import type { DialectTool, Fields } from '../../dialect.ts'
import { when } from '../../tool.ts'
import { shorten, shortenRows, tokensOf } from '../budget.ts'
import {
  calling,
  count,
  defineCore,
  maxTokens,
  pick,
  pickProvenance,
  words,
} from '../define-tool.ts'
import { toRow } from '../message-tools.ts'

const text = z.string().optional()

export function knowledgeTools(): readonly DialectTool[] {
  return [recallTool(), rememberTool()]
}

const MOST_RESULTS = 100
/** Share of an answer that is for results; the rest is for names of fields and notes. */
const FOR_RESULTS = 0.8

function recallTool(): DialectTool {
  const listing = {
    name: 'recall',
    description:
      'Search before you decide or ask: decisions, notes, tasks, annotations, messages, artifacts. Filters: type:decision status:accepted tag:db. max_tokens 200-8000: more results. id opens one whole.',
    input: z.object({
      query: text.describe('A question, error text or names of things; "quoted" must occur'),
      id: text,
      limit: count.optional(),
      cursor: text,
      max_tokens: maxTokens,
    }),
  }
  return defineCore(listing, [
    calling({
      operation: searchByQuery,
      toInput: (args) => {
        const { query, cursor, limit = MOST_RESULTS } = args
        return { query, cursor, limit, max_tokens: Math.floor(tokensOf(args) * FOR_RESULTS) }
      },
      toFitting: (page, args) => ({
        ...page,
        results: shortenRows(page.results, args, toFoundRow),
      }),
      toResult: toFound,
    }),
    when(
      ({ id }) => messageIdOf(id) !== undefined,
      calling({
        operation: getMessage,
        toInput: ({ id }) => ({ id: messageIdOf(id) }),
        toFitting: (message, args) => shorten(message, args, toRow),
        toResult: toRow,
      }),
    ),
    when(
      ({ id }) => id !== undefined,
      calling({
        operation: getEntity,
        toInput: ({ id }) => ({ id: entityIdOf(id) }),
        toFitting: (entity, args) => shorten(entity, args, toWholeEntity),
        toResult: toWholeEntity,
      }),
    ),
  ])
}

/** The number in `message 7`, a search result. The inbox lacks the caller's own messages and those from before it joined. */
function messageIdOf(id: unknown): number | undefined {
  const found = typeof id === 'string' ? /^\s*message\s+#?(\d{1,15})\s*$/i.exec(id) : null
  return found === null ? undefined : Number(found[1])
}

/** Refuses ids of other search results, with the tool that opens them. */
function entityIdOf(id: unknown): unknown {
  const [, kind = '', name = ''] =
    typeof id === 'string' ? (/^\s*(annotation|artifact)\s+(\S+)\s*$/i.exec(id) ?? []) : []
  const opener = OPENERS[kind.toLowerCase()]
  if (opener === undefined) return id
  throw violation('id', 'bad_format', `names no entity; ${opener(name)}`, { value: id })
}

const OPENERS: Readonly<Record<string, (name: string) => string>> = {
  annotation: () => 'code_why with the file in its title shows the annotation',
  artifact: (name) =>
    `artifact_read, or the resource artifacts://lineage/${name}, shows the artifact`,
}

function toFound(page: SearchPage) {
  return {
    results: page.results.map(toFoundRow),
    ...pick(page, ['mode', 'total', 'total_is_minimum', 'note', 'corrected', 'next_cursor']),
  }
}

function toFoundRow(result: SearchResult) {
  return {
    ...pick(result, ['number', 'type', 'note_type', 'status', 'title', 'snippet']),
    ...(result.kind !== 'entity' && { kind: result.kind, id: `${result.kind} ${result.id}` }),
    ...(result.created_by !== undefined && { by: result.created_by }),
    ...pickProvenance(result.trust),
    updated: result.updated_at.slice(0, 10),
  }
}

function rememberTool(): DialectTool {
  const listing = {
    name: 'remember',
    description:
      'Record what others must know, with the why. With id: change it. Tag open questions question.',
    input: z.object({
      id: text,
      type: z.enum(TYPES).optional(),
      title: text,
      content: text,
      tags: words.optional(),
      properties: z
        .looseObject({})
        .optional()
        .describe(
          'decision: status, context, consequences; note: note_type fact|hypothesis|dead_end|gotcha; link: url; prompt: template',
        ),
      relations: words.optional().describe('type:number, as implements:12, supersedes:7'),
    }),
  }
  return defineCore(listing, [
    calling({
      operation: createEntity,
      toInput: withKnownType,
      toResult: toRemembered,
    }),
    when(
      ({ id }) => id !== undefined,
      calling({
        operation: updateEntity,
        // An entity keeps its type.
        toInput: ({ type: _type, ...args }) => args,
        toResult: toRemembered,
      }),
    ),
  ])
}

const TYPES = ['decision', 'note', 'component', 'link', 'prompt'] as const

/** Names the types of this tool: the operation knows tasks too, which have a tool of their own. */
function withKnownType(args: Fields): Fields {
  const { type } = args
  if ([undefined, 'task', ...TYPES].some((known) => known === type)) return args
  const rule = `must be one of ${TYPES.join(', ')}; task_create makes tasks`
  throw violation('type', 'not_one_of', rule, { value: type, valid: TYPES })
}

function toRemembered(entity: EntityView) {
  return {
    ...pick(entity, ['number', 'type', 'title', 'tags']),
    ...pick(entity.properties, ['status']),
  }
}

function toWholeEntity(entity: z.output<typeof getEntity.output>) {
  const linked = describeLinked(entity.linked)
  const { superseded_by: successor } = entity.linked
  return {
    ...pick(entity, ['number', 'type', 'title']),
    ...pickProvenance(entity.trust),
    ...toProperties(entity.properties),
    ...(successor !== undefined && { superseded_by: successor.number }),
    ...pick(entity, ['tags', 'created_by', 'created_at', 'updated_at']),
    ...pick({ linked }, ['linked']),
    ...pick(entity, ['content']),
  }
}

function toProperties(properties: Fields): Fields {
  const named = Object.entries(properties).map(([name, value]) => [distinctName(name), value])
  return pick(
    Object.fromEntries(named),
    named.map(([name]) => String(name)),
  )
}
