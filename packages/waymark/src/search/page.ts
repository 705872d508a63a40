import * as z from 'zod'
import type { ReadContext } from '../core/context.ts'
import type { Clauses } from '../core/store/full-text.ts'
import { toReadableText } from './text/document.ts'
import { toSnippet } from './text/snippet.ts'
import { violation } from '../core/input/parse.ts'
import type { EntityRow } from '../entity/store.ts'
import type { FoundDocument } from './store.ts'
import { time, toTime } from '../entity/view.ts'
import { type Trust, trust, trustIn } from '../agent/trust.ts'
import { toAgentId } from '../agent/agent.ts'
import { toEntityId } from '../entity/entity-id.ts'

/** Something found, with enough of it to decide whether to open it. */
const searchResult = z.object({
  kind: z.string().describe('entity, message, annotation or artifact'),
  id: z.string(),
  number: z.int().optional(),
  type: z.string(),
  status: z.string().optional(),
  title: z.string(),
  snippet: z.string().optional().describe('Where it matches, hits in <mark>'),
  score: z.number().optional(),
  matched_by: z
    .enum(['words', 'meaning', 'spelling', 'both'])
    .optional()
    .describe('spelling: found by the comparison that stands in for a model'),
  updated_at: time,
  created_by: z.string().optional(),
  note_type: z.string().optional().describe('fact, hypothesis, dead_end or another kind of note'),
  trust,
})
export type SearchResult = z.output<typeof searchResult>

export const searchPage = z.object({
  mode: z
    .enum(['fulltext', 'fuzzy', 'semantic', 'hybrid', 'filter'])
    .describe('How it was searched: fuzzy means that nothing matched as it was typed'),
  model: z
    .string()
    .optional()
    .describe('What judged how similar texts are, when that was asked for'),
  threshold: z.number().optional().describe('Less similar than this was left out'),
  pending: z.int().optional().describe('Texts that the model has not seen yet'),
  note: z.string().optional().describe('What to know about this answer'),
  corrected: z
    .record(z.string(), z.array(z.string()))
    .optional()
    .describe('Words that are nowhere, and what was looked for in their place'),
  results: z.array(searchResult),
  total: z.int(),
  total_is_minimum: z.literal(true).optional().describe('There are more than were counted'),
  next_cursor: z.string().optional().describe('Pass it as cursor to go on'),
})
export type SearchPage = z.output<typeof searchPage>

/** A document by its number in the index, with its worth where there is one. */
export interface Ranked {
  readonly id: number
  readonly score?: number
  readonly matchedBy?: SearchResult['matched_by']
}

interface Shown {
  readonly results: SearchResult[]
  /** How many of the documents that takes; those that are gone by now have no result. */
  readonly consumed: number
}

/** The documents as results, as many from the start as `take` leaves. */
export async function showResults(
  context: ReadContext,
  ranked: readonly Ranked[],
  clauses: Clauses,
  take: (results: SearchResult[]) => SearchResult[],
): Promise<Shown> {
  const documents = await context.store.search.documents(ranked.map(({ id }) => id))
  const results = take(await toResults(context, documents, { ranked, clauses }))
  const left = documents[results.length]
  const consumed = left === undefined ? ranked.length : ranked.findIndex(({ id }) => id === left.id)
  return { results, consumed }
}

async function toResults(
  context: ReadContext,
  documents: readonly FoundDocument[],
  { ranked, clauses }: { ranked: readonly Ranked[]; clauses: Clauses },
): Promise<SearchResult[]> {
  const rankedById = new Map(ranked.map((one) => [one.id, one]))
  const entities = await entitiesOf(context, documents)
  const trusts = await trustIn(
    context,
    documents.map(({ kind, ref }, at) =>
      kind === 'annotation' ? { record: ref } : { entity: entities[at] },
    ),
  )
  const authors = await Promise.all(documents.map((each) => authorOf(context, each)))
  return documents.map((document, at) => {
    const entity = entities[at]
    return toResult(document, {
      author: authors[at] ?? null,
      entity,
      trust: trusts[at] ?? {},
      snippet: toSnippet(entity === undefined ? document.body : toReadableText(entity), clauses),
      ...rankedById.get(document.id),
    })
  })
}

interface Extras extends Omit<Ranked, 'id'> {
  readonly author: string | null
  readonly entity: EntityRow | undefined
  readonly trust: Trust
  readonly snippet: string
}

function toResult(
  document: FoundDocument,
  { author, entity, trust, score, matchedBy, snippet }: Extras,
): SearchResult {
  const { kind, ref, type, status, title, updatedAt } = document
  const noteType = entity?.properties['note_type']
  return {
    kind,
    id: ref,
    ...(entity !== undefined && { number: entity.number }),
    type,
    ...(status !== null && { status }),
    title,
    ...(snippet !== '' && { snippet }),
    ...(score !== undefined && { score: Number(score.toPrecision(4)) }),
    ...(matchedBy !== undefined && { matched_by: matchedBy }),
    updated_at: toTime(updatedAt),
    ...(author !== null && { created_by: author }),
    ...(typeof noteType === 'string' && { note_type: noteType }),
    trust,
  }
}

/** The index has the id of the agent that sent a message, because agents change their names. */
async function authorOf(
  { store }: ReadContext,
  { kind, author }: FoundDocument,
): Promise<string | null> {
  if (kind !== 'message' || author === null) return author
  return (await store.agents.byId(toAgentId(author)))?.name ?? author
}

/** Read when they are shown: a merge with another clone may give an entity another number. */
async function entitiesOf(
  { store }: ReadContext,
  documents: readonly FoundDocument[],
): Promise<readonly (EntityRow | undefined)[]> {
  const ids = documents.filter(({ kind }) => kind === 'entity').map(({ ref }) => toEntityId(ref))
  const rows = ids.length === 0 ? [] : await store.graph.entities(ids)
  const rowsById = new Map(rows.map((row) => [row.id, row]))
  return documents.map(({ kind, ref }) =>
    kind === 'entity' ? rowsById.get(toEntityId(ref)) : undefined,
  )
}

export const cursor = z.string().describe('next_cursor of the page before')

/** A cursor is the position to go on from; 0 without one. */
export function parseCursor(text: string | undefined): number {
  if (text === undefined) return 0
  const position = Number(text)
  if (/^\d{1,15}$/.test(text)) return position
  throw violation('cursor', 'bad_format', 'must be the next_cursor of an earlier answer', {
    value: text.slice(0, 100),
  })
}
