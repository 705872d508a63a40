import * as z from 'zod'
import type { ReadContext } from '../../core/context.ts'
import type { AnnotationRecord } from '../../annotation/record.ts'
import type { AnnotationRow } from '../../annotation/store.ts'
import type { EntityRow } from '../store.ts'
import { entityLabel, toEntityLabel } from '../view.ts'
import { annotatedPlaces } from './annotated-places.ts'
import { toEntityId } from '../entity-id.ts'

/** Maximum numbers in one answer; the others are counted. */
const MOST_RELATIONS = 12
const MOST_ARTIFACTS = 6
const MOST_CODE = 6
/** An annotation copied to several commits has a row for each. */
const MOST_ROWS = 50

const linkedEntity = entityLabel.extend({ status: z.string().optional() })

/** What is linked to an entity. Empty lists are absent. */
export const linkedView = z.object({
  superseded_by: entityLabel.optional().describe('The decision that holds in its place'),
  relations: z
    .array(
      z.object({
        type: z.string(),
        direction: z.enum(['from', 'to']).describe('from: starts at this entity; to: ends there'),
        entity: linkedEntity,
      }),
    )
    .optional(),
  artifacts: z
    .array(
      z.object({
        id: z.string(),
        type: z.string().describe('How it is linked'),
        name: z.string().optional(),
        mime: z.string(),
        size: z.int().describe('Bytes'),
      }),
    )
    .optional(),
  code: z
    .array(
      z.object({
        commit: z.string(),
        summary: z.string(),
        places: z.array(z.string()).describe('Files, or file:name'),
      }),
    )
    .optional()
    .describe('Annotations that belong to it, newest first'),
  messages: z.int().optional().describe('How many messages to all agents are about it'),
  more: z
    .object({
      relations: z.int().optional(),
      artifacts: z.int().optional(),
      code: z.int().optional(),
    })
    .optional()
    .describe('How many of each are not shown'),
})
export type Linked = z.output<typeof linkedView>

interface LinkedOptions {
  /** Relation types that the answer shows in another way. */
  readonly except?: readonly string[]
}

/** What is linked to each of these entities, in the same order. */
export async function findLinked(
  context: ReadContext,
  rows: readonly EntityRow[],
  { except = [] }: LinkedOptions = {},
): Promise<readonly Linked[]> {
  const annotations = await Promise.all(rows.map((row) => annotationsOf(context, row)))
  const shown = annotations.map((all) => all.slice(0, MOST_CODE))
  const places = await annotatedPlaces(context, shown.flat())
  return await Promise.all(
    rows.map(async (row, at) => {
      const related = await relationsOf(context, row, except)
      const artifacts = await artifactsOf(context, row)
      const messages = row.type === 'task' ? await context.store.messages.countAbout(row.id) : 0
      const successor = await successorOf(context, row)
      const code = (shown[at] ?? []).map(({ commit, record }) => ({
        commit,
        summary: record.summary,
        places: [...(places.get(record.id) ?? [])],
      }))
      return {
        ...(successor !== undefined && { superseded_by: toEntityLabel(successor) }),
        ...filled('relations', related.shown),
        ...filled('artifacts', artifacts.shown),
        ...filled('code', code),
        ...(messages > 0 && { messages }),
        ...toMore({
          relations: related.total - related.shown.length,
          artifacts: artifacts.total - artifacts.shown.length,
          code: (annotations[at] ?? []).length - code.length,
        }),
      }
    }),
  )
}

/** The newest annotations first, each once. */
async function annotationsOf(
  { store }: ReadContext,
  { id }: EntityRow,
): Promise<readonly AnnotationRow[]> {
  const byRecord = new Map<AnnotationRecord['id'], AnnotationRow>()
  for (const row of await store.annotations.byLink(id, MOST_ROWS)) {
    if (!byRecord.has(row.record.id)) byRecord.set(row.record.id, row)
  }
  return [...byRecord.values()]
}

async function relationsOf({ store }: ReadContext, { id }: EntityRow, except: readonly string[]) {
  const found = await store.relations.foremost(id, { except, limit: MOST_RELATIONS })
  const first = found.relations
  const others = first.map(({ sourceId, targetId }) => (sourceId === id ? targetId : sourceId))
  const labels = new Map((await store.graph.labels(others)).map((row) => [row.id, row]))
  const shown = first.flatMap(({ type, sourceId, targetId }) => {
    const other = labels.get(sourceId === id ? targetId : sourceId)
    if (other === undefined) return []
    const entity = {
      ...toEntityLabel(other),
      ...(other.status !== null && { status: other.status }),
    }
    return [{ type, direction: sourceId === id ? ('from' as const) : ('to' as const), entity }]
  })
  return { shown, total: found.total - (first.length - shown.length) }
}

async function artifactsOf({ store }: ReadContext, { id }: EntityRow) {
  const page = { entityId: id, limit: MOST_ARTIFACTS, offset: 0 }
  const { artifacts, total } = await store.artifacts.list(page)
  const shown = await Promise.all(
    artifacts.map(async (artifact) => {
      const links = await store.artifacts.linksOf(artifact.id)
      return {
        id: artifact.id,
        type: links.find(({ entityId }) => entityId === id)?.type ?? 'references',
        ...(artifact.name !== null && { name: artifact.name }),
        mime: artifact.mime,
        size: artifact.size,
      }
    }),
  )
  return { shown, total }
}

/** Undefined if the successor was deleted. */
async function successorOf(
  { store }: ReadContext,
  { properties: { superseded_by: id } }: EntityRow,
): Promise<EntityRow | undefined> {
  return typeof id === 'string' ? await store.entities.byId(toEntityId(id)) : undefined
}

function filled<Name extends string, Item>(
  name: Name,
  items: readonly Item[],
): { [K in Name]?: Item[] } {
  return (items.length === 0 ? {} : { [name]: [...items] }) as { [K in Name]?: Item[] }
}

function toMore(counts: Required<NonNullable<Linked['more']>>): Pick<Linked, 'more'> {
  const left = Object.entries(counts).filter(([, count]) => Number(count) > 0)
  return left.length === 0 ? {} : { more: Object.fromEntries(left) }
}
