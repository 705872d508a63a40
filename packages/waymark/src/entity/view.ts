import * as z from 'zod'
import { ENTITY_TYPES } from './entity.ts'
import type { EntityRow } from './store.ts'
import type { EventType } from '../event/types.ts'
import { toReceived } from '../sync/arrival.ts'
import { received } from '../sync/received.ts'
import type { Change } from '../core/change.ts'
import { describeTrust, showProvenance, type TrustFacts } from '../agent/trust-text.ts'
import {
  BLANK,
  type Block,
  bold,
  type Column,
  countOf,
  field,
  joined,
  type Line,
  line,
  quote,
  table,
  textField,
  titled,
  titles,
  type Value,
  when,
} from '../core/show.ts'
import { showLease } from '../task/lease/show.ts'
import { toVisibleJson } from '../support/text/visible-text.ts'
import type { Linked } from './linked/linked.ts'
import { showLinked, showLinkedToAgent, showNumbered } from './linked/show.ts'
import { showPriority, showStatus } from './status-color.ts'
import type { EntityId } from './entity-id.ts'

export const time = z.string().describe('UTC time in ISO 8601')

/** An entity as every surface shows it. */
export const entityView = z.object({
  id: z.string().brand<'EntityId'>(),
  number: z.int(),
  type: z.enum(ENTITY_TYPES),
  title: z.string(),
  content: z.string().optional(),
  tags: z.array(z.string()),
  properties: z.record(z.string(), z.unknown()),
  created_at: time,
  updated_at: time,
  created_by: z.string().optional(),
  received: received.optional(),
})
export type EntityView = z.output<typeof entityView>

/** Enough of an entity to recognise and name it. */
export const entityLabel = entityView.pick({ id: true, number: true, type: true, title: true })
export type EntityLabel = z.output<typeof entityLabel>

export function toEntityView(row: EntityRow): EntityView {
  return {
    ...toEntityLabel(row),
    ...(row.content !== null && { content: row.content }),
    tags: [...row.tags],
    properties: row.properties,
    created_at: toTime(row.createdAt),
    updated_at: toTime(row.updatedAt),
    ...(row.createdBy !== null && { created_by: row.createdBy }),
    ...(row.arrival !== null && { received: toReceived(row.arrival) }),
  }
}

export function toEntityLabel(
  row: Pick<EntityRow, 'id' | 'number' | 'type' | 'title'>,
): EntityLabel {
  return { id: row.id, number: row.number, type: row.type as EntityView['type'], title: row.title }
}

export function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

type Fields = Readonly<Record<string, unknown>>

/** Emits an event about an entity, with extra facts. */
export async function emitEntityEvent(
  change: Change,
  event: EventType,
  row: EntityRow,
  facts: Fields = {},
): Promise<void> {
  const { id, type, number, title, revision } = row
  await change.announce(event, id, { type, number, ...keyOf(row), title, revision, ...facts })
}

/** The names of the fields and properties in which two states of an entity differ, for the event of a change. */
export function changedFields(before: EntityRow, after: EntityRow): readonly string[] {
  const names = new Set([...Object.keys(before.properties), ...Object.keys(after.properties)])
  const differs = (one: unknown, other: unknown) => JSON.stringify(one) !== JSON.stringify(other)
  return [
    ...(['title', 'content', 'tags'] as const).filter((name) => differs(before[name], after[name])),
    ...[...names].filter((name) => differs(before.properties[name], after.properties[name])),
  ]
}

/** Emits the event for a changed entity number. */
export async function announceNumber(change: Change, row: EntityRow, from: number): Promise<void> {
  const { id, type, number } = row
  await change.announce('entity.renumbered', id, { type, from, number, ...keyOf(row) })
}

/** Emits an event without any user text, as required for purged entities. */
export async function emitRedacted(change: Change, event: EventType, id: EntityId): Promise<void> {
  const found = await change.replica.rows.find(id)
  const { type, number } = found?.row ?? {}
  // No row if the entity never existed in this clone.
  await change.announce(event, id, found === undefined ? {} : { type, number })
}

/** Included because a task's watcher may know only its key. */
function keyOf({ type, properties: { key } }: EntityRow): Fields {
  return type === 'task' && typeof key === 'string' ? { key } : {}
}

/** An entity as any operation returns it, with the facts that only looking it up tells. */
type ShownEntity = EntityView & {
  readonly trust?: TrustFacts
  readonly linked?: Linked
  readonly lease?: Parameters<typeof showLease>[0] | undefined
}

export function showEntity(entity: ShownEntity): readonly Block[] {
  const { type, title, content, properties, tags, trust = {}, linked = {}, lease } = entity
  return [
    line`${bold(displayId(entity))} ${type}: ${bold(title)}`,
    ...Object.entries(properties)
      .filter(([name]) => !UNSHOWN.has(name))
      .flatMap(([name, value]) =>
        field(name, showSuccessor(name, linked) ?? showNamed(name, value) ?? showProperty(value)),
      ),
    ...field('held by', lease && showLease(lease)),
    ...field('tags', joined(tags)),
    ...field('created', joined([when(entity.created_at), entity.created_by], ' by ')),
    ...field('updated', when(entity.updated_at)),
    ...field('trust', joined(describeTrust(trust))),
    ...showLinked(linked, entity),
    ...(content === undefined ? [] : [BLANK, ...quote(content)]),
  ]
}

type Property = EntityView['properties'][string]

/** Bookkeeping of imports, which says nothing to a reader. */
const UNSHOWN: ReadonlySet<string> = new Set(['external_hash'])

/** Properties that people read in other words than they are stored in. */
function showNamed(name: string, value: Property): Line | undefined {
  if (name === 'priority' && typeof value === 'number') return showPriority(value)
  if (typeof value !== 'string') return undefined
  if (name === 'status') return showStatus(value)
  return TIMES.has(name) ? when(value) : undefined
}

const TIMES: ReadonlySet<string> = new Set([
  'due_date',
  'defer_until',
  'completed_at',
  'verified_at',
])

/** The property holds an id, which says nothing to a reader. */
function showSuccessor(name: string, { superseded_by: successor }: Linked): Line | undefined {
  return name === 'superseded_by' && successor !== undefined ? showNumbered(successor) : undefined
}

/** The fields of a type hold text, numbers, lists or JSON; this does not depend on which. */
function showProperty(value: Property): Value {
  if (Array.isArray(value)) return joined(value.map(showScalar))
  return showScalar(value)
}

function showScalar(value: Property): Value {
  if (value === undefined || value === null) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** An entity for a model, under its number, with every field by its name. */
export function showEntityToAgent(entity: ShownEntity): readonly Block[] {
  const { linked = {}, trust = {} } = entity
  const successor = showSuccessor('superseded_by', linked)
  const { superseded_by: number, ...provenance } = trust
  return [
    nameToAgent(entity),
    ...showProvenance(provenance),
    ...field('superseded_by', successor ?? number),
    ...Object.entries(entity.properties)
      .filter(([name]) => successor === undefined || name !== 'superseded_by')
      .flatMap(([name, value]) => showStored(distinctName(name), value)),
    ...field('tags', titles(entity.tags)),
    ...textField('created_by', entity.created_by),
    ...field('created_at', when(entity.created_at)),
    ...(entity.updated_at === entity.created_at
      ? []
      : field('updated_at', when(entity.updated_at))),
    ...showLinkedToAgent(linked),
    ...quote(entity.content),
  ]
}

/** `#12 decision: Use SQLite` */
export function nameToAgent({ number, type, title }: EntityView): Line {
  return line`#${number} ${type}: ${titled(title)}`
}

const PROVENANCE_FIELDS: ReadonlySet<string> = new Set([
  'via',
  'remote',
  'signature',
  'signer',
  'claimed',
])

/** The name of a stored property, with a prefix where it could pass for provenance. */
export function distinctName(name: string): string {
  return PROVENANCE_FIELDS.has(name) ? `properties.${name}` : name
}

function showStored(name: string, value: Property): readonly Block[] {
  if (typeof value === 'string') return textField(name, value)
  if (Array.isArray(value)) return field(name, joined(value.map(showItem), '; '))
  return value === undefined || value === null ? [] : field(name, toVisibleJson(value))
}

function showItem(value: Property): Line {
  return titled(typeof value === 'string' ? value : toVisibleJson(value))
}

const COLUMNS: readonly Column<EntityView>[] = [
  { head: 'ID', value: displayId },
  { head: 'TITLE', value: ({ title }) => title, isMain: true },
  { head: 'TYPE', value: ({ type }) => type },
  {
    head: 'STATUS',
    value: ({ properties: { status } }) =>
      typeof status === 'string' ? showStatus(status) : undefined,
  },
  { head: 'TAGS', value: ({ tags }) => joined(tags) },
]

export function showEntities({
  entities,
  total,
}: {
  readonly entities: readonly EntityView[]
  readonly total: number
}): readonly Block[] {
  if (entities.length === 0) {
    return [total === 0 ? line`nothing found` : line`nothing at this offset; ${total} in all`]
  }
  return [table(entities, COLUMNS), ...countOf(entities.length, total)]
}

interface Labelled {
  readonly number: number
  readonly title: string
}

/** `#12`, as commands take it. */
export function displayId({ number }: Pick<Labelled, 'number'>): Line {
  return line`#${number}`
}

/** `#12 Use SQLite` */
export function label(entity: Labelled): Line {
  return line`${displayId(entity)} ${entity.title}`
}
