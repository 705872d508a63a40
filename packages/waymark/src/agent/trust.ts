import * as z from 'zod'
import type { ReadContext } from '../core/context.ts'
import { FRESHNESS_STATES, type FreshnessState, worstOf } from '../annotation/freshness.ts'
import { toReceived } from '../sync/arrival.ts'
import type { Origin } from './origin.ts'
import { Failure } from '../core/error.ts'
import type { AnnotationRow } from '../annotation/store.ts'
import type { EntityRow } from '../entity/store.ts'
import { received, receivedFields } from '../sync/received.ts'

/** Annotations compared with the code per answer, the newest of each text first. */
const MOST_JUDGED = 20
const MOST_LINKED = 3

/** Provenance that a reader needs before relying on a text. Unknown fields are absent. */
export const trust = z.object({
  via: z
    .string()
    .optional()
    .describe('How it was written: cli, mcp, http; sync or import for what came from elsewhere'),
  ...receivedFields,
  agent: z.string().optional().describe('Id of the agent that wrote it'),
  model: z.string().optional(),
  proved: z
    .boolean()
    .optional()
    .describe('Its author had proved who they are; never of what came from elsewhere'),
  imported_from: z.string().optional().describe('Tool that the text comes from'),
  imported_author: z.string().optional().describe('Its author as that tool says, never proved'),
  claimed: z
    .object({
      via: z.string().optional(),
      agent: z.string().optional(),
      model: z.string().optional(),
      imported_from: z.string().optional(),
      imported_author: z.string().optional(),
    })
    .optional()
    .describe('What the sender of a text that came from elsewhere says of its author'),
  changed_by: z.string().optional().describe('Who changed it last, if not its author'),
  superseded_by: z.int().optional().describe('Number of what holds in its place'),
  code: z
    .enum(FRESHNESS_STATES)
    .optional()
    .describe('What has become of the code that it belongs to'),
})
export type Trust = z.output<typeof trust>

/** The transport part of the provenance. */
export function receivedIn(found: Trust): { readonly received?: z.output<typeof received> } {
  const { data } = received.safeParse(found)
  return data === undefined ? {} : { received: data }
}

/** A search result: an entity, or the key of an annotation in the index. */
export interface Recalled {
  readonly entity?: EntityRow | undefined
  /** Id of an annotation's record. */
  readonly record?: string
}

/** The provenance of each of these, in the same order. */
export async function trustIn(
  context: ReadContext,
  recalled: readonly Recalled[],
): Promise<readonly Trust[]> {
  const linked = await Promise.all(recalled.map((one) => annotationsOf(context, one)))
  const judged = linked.flat().slice(0, MOST_JUDGED)
  const states: States = judged.length === 0 ? new Map() : await judge(context, judged)
  return await Promise.all(
    recalled.map(async ({ entity }, at) => {
      const code = worstOf((linked[at] ?? []).flatMap(({ record }) => states.get(record.id) ?? []))
      return {
        ...(entity !== undefined && (await writtenBy(context, entity))),
        ...(code !== undefined && { code }),
      }
    }),
  )
}

async function annotationsOf(
  { store }: ReadContext,
  { entity, record }: Recalled,
): Promise<readonly AnnotationRow[]> {
  if (record !== undefined) return await store.annotations.anywhere(record)
  return entity === undefined ? [] : await store.annotations.byLink(entity.id, MOST_LINKED)
}

async function writtenBy({ store }: ReadContext, row: EntityRow): Promise<Trust> {
  const { proved, ...stated } = toStated(row.origin ?? {})
  const successor = await successorOf(store, row)
  return {
    ...(row.arrival === null
      ? { ...stated, ...(proved && { proved }) }
      : { ...toReceived(row.arrival), proved: false, ...claims(stated) }),
    ...(row.updatedBy !== null && row.updatedBy !== row.createdBy && { changed_by: row.updatedBy }),
    ...(successor !== undefined && { superseded_by: successor }),
  }
}

function toStated({ imported, author, ...origin }: Origin) {
  return {
    ...origin,
    ...(imported !== undefined && { imported_from: imported }),
    ...(author !== undefined && { imported_author: author }),
  }
}

function claims(stated: NonNullable<Trust['claimed']>): Pick<Trust, 'claimed'> {
  return Object.keys(stated).length === 0 ? {} : { claimed: stated }
}

async function successorOf(
  store: ReadContext['store'],
  { id }: EntityRow,
): Promise<number | undefined> {
  const incoming = await store.relations.of(id, 'to')
  const newest = incoming.findLast(({ type }) => type === 'supersedes')
  return newest && (await store.entities.byId(newest.sourceId))?.number
}

type States = ReadonlyMap<string, FreshnessState>

/** Unreadable code is not an error: the text is still shown. Lazily imported, because most texts have no annotations. */
async function judge(context: ReadContext, rows: readonly AnnotationRow[]): Promise<States> {
  try {
    const { codeStates } = await import('../annotation/write/code-states.ts')
    return await codeStates(context, rows)
  } catch (error) {
    if (!(error instanceof Failure) || context.signal.aborted) throw error
    return new Map()
  }
}
