import * as z from 'zod'
import { describeTrust } from '../../agent/trust-text.ts'
import { createEntity, getEntity, updateEntity } from '../../entity/operations.ts'
import type { EntityView } from '../../entity/view.ts'
import { getMessage } from '../../message/operations.ts'
import type { Trust } from '../../agent/trust.ts'
import type { SearchPage, SearchResult } from '../../search/page.ts'
import { searchByQuery } from '../../search/operations.ts'
import { violation } from '../../core/input/parse.ts'
import type { DialectTool, Fields } from '../dialect.ts'
import { route, when } from '../tool.ts'
import { limitOf, shorten } from './budget.ts'
import {
  count,
  defineCore,
  fieldLine,
  maxTokens,
  pick,
  pickProvenance,
  plain,
  quotation,
  titled,
  words,
} from './define-tool.ts'
import { messageLine, toRow } from './message-tools.ts'

const text = z.string().optional()

export function knowledgeTools(): readonly DialectTool[] {
  return [recallTool(), rememberTool()]
}

function recallTool(): DialectTool {
  const listing = {
    name: 'recall',
    description:
      'Search before you decide or ask: decisions, notes, tasks, code annotations, messages, artifacts. Filters in the query: type:decision status:accepted tag:db. id opens one whole.',
    input: z.object({
      query: text,
      id: text,
      limit: count.optional(),
      cursor: text,
      max_tokens: maxTokens,
    }),
  }
  return defineCore(listing, [
    route({
      operation: searchByQuery,
      toInput: (args) => {
        const { query, cursor } = args
        return { query, cursor, limit: limitOf(args, { perRow: 100, most: 10 }) }
      },
      toResult: toFound,
      toText: foundLines,
    }),
    when(
      ({ id }) => messageIdOf(id) !== undefined,
      route({
        operation: getMessage,
        toInput: ({ id }) => ({ id: messageIdOf(id) }),
        toResult: (message, args) => shorten(toRow(message), args),
        toText: (message) => `message ${messageLine(message)}`,
      }),
    ),
    when(
      ({ id }) => id !== undefined,
      route({
        operation: getEntity,
        toInput: ({ id }) => ({ id: entityIdOf(id) }),
        toResult: (entity, args) => shorten(toWholeEntity(entity), args),
        toText: entityText,
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

function toFound(page: SearchPage, args: Fields) {
  return {
    results: shorten(page.results.map(toFoundRow), args),
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

function foundLines(page: ReturnType<typeof toFound>): string {
  const { results, mode, total, total_is_minimum, note, next_cursor } = page
  const lines = results.map((result) => {
    const { number, id, type, note_type, status, title, snippet, updated } = result
    const name = number === undefined ? plain(id) : `#${number}`
    const kind = [type, note_type].filter(Boolean).map(plain).join(' ')
    const facts = [status, ...describeTrust(result), updated].filter(Boolean).map(plain).join(', ')
    const hit = quotation(plain(snippet ?? '').replaceAll(/<\/?mark>/g, ''))
    return [`${name} ${kind}: ${titled(title)} (${facts})`, ...hit].join('\n')
  })
  const end = [
    `${lines.length} of ${plain(total)}${total_is_minimum === true ? '+' : ''}, searched by ${plain(mode)}`,
    note === undefined ? '' : `; ${plain(note)}`,
    next_cursor === undefined ? '' : `; next cursor: ${plain(next_cursor)}`,
  ].join('')
  return [...lines, end].join('\n')
}

function rememberTool(): DialectTool {
  const listing = {
    name: 'remember',
    description:
      'Record what others must know, with the why. With id: change it. Tag open questions question.',
    input: z.object({
      id: text,
      type: z.enum(['decision', 'note', 'component', 'link', 'prompt']).optional(),
      title: text,
      content: text,
      tags: words.optional(),
      properties: z
        .looseObject({})
        .optional()
        .describe(
          'decision: status, context, consequences; note: note_type fact|hypothesis|dead_end; link: url; prompt: template',
        ),
      relations: words.optional().describe('type:number, as implements:12, supersedes:7'),
    }),
  }
  return defineCore(listing, [
    route({
      operation: createEntity,
      toInput: (args) => args,
      toResult: toRemembered,
      toText: (entity) => `recorded ${rememberedLine(entity)}`,
    }),
    when(
      ({ id }) => id !== undefined,
      route({
        operation: updateEntity,
        // An entity keeps its type.
        toInput: ({ type: _type, ...args }) => args,
        toResult: toRemembered,
        toText: (entity) => `changed ${rememberedLine(entity)}`,
      }),
    ),
  ])
}

function toRemembered(entity: EntityView) {
  return {
    ...pick(entity, ['number', 'type', 'title', 'tags']),
    ...pick(entity.properties, ['status']),
  }
}

function rememberedLine({ number, type, title }: ReturnType<typeof toRemembered>): string {
  return `#${plain(number)} ${plain(type)}: ${titled(title)}`
}

function toWholeEntity(entity: EntityView & { trust: Trust }) {
  return {
    ...pick(entity, ['number', 'type', 'title']),
    ...pickProvenance(entity.trust),
    ...toProperties(entity.properties),
    ...pick(entity, ['tags', 'created_by', 'created_at', 'updated_at']),
    ...pick(entity, ['content']),
  }
}

/** Provenance fields. A stored property of the same name gets a prefix, so that it cannot pass for provenance. */
const PROVENANCE_FIELDS: ReadonlySet<string> = new Set([
  'via',
  'remote',
  'signature',
  'signer',
  'claimed',
])

function toProperties(properties: Fields): Fields {
  const named = Object.entries(properties).map(([name, value]) => [
    PROVENANCE_FIELDS.has(name) ? `properties.${name}` : name,
    value,
  ])
  return pick(
    Object.fromEntries(named),
    named.map(([name]) => String(name)),
  )
}

function entityText(entity: ReturnType<typeof toWholeEntity>): string {
  const { number, type, title, content, ...fields } = entity
  return [
    `#${plain(number)} ${plain(type)}: ${titled(title)}`,
    ...Object.entries(fields).map(fieldLine),
    ...quotation(content),
  ].join('\n')
}
