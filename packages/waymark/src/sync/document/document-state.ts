import { toAgentName } from '../../agent/agent.ts'
import {
  changedProperties,
  ENTITY_TYPES,
  type EntityType,
  hasProperty,
} from '../../entity/entity.ts'
import { parseOrigin } from '../../agent/origin.ts'
import { resolveStatus } from '../../task/state/status-order.ts'
import { Failure } from '../../core/error.ts'
import type { Stamp } from '../../entity/store.ts'
import { LARGEST_NUMBER } from '../../core/store/counters.ts'
import type { RelationValue } from './ops-store.ts'
import type { ReplicatedEntity } from '../merge/rows-store.ts'
import { toListValues } from './list-keys.ts'
import {
  toMergedContent,
  toMergedProperty,
  toMergedTags,
  toMergedText,
  toMergedTitle,
} from './concurrent/merged-text.ts'
import { type EntityId, toEntityId } from '../../entity/entity-id.ts'

/** A document's root containers by name. Untrusted: values may have any type. */
export type RawState = Readonly<Record<string, unknown>>

export const STATUS = 'status'

/** Beside the containers of a state: fields that were changed on both sides. */
export const CHANGED_TWICE = 'changed_twice'

/** Of a field that was changed on both sides. */
export interface TwiceChangedField {
  readonly field: string
  /** Only the later change stands. */
  readonly isContradiction: boolean
}

interface RelationState extends RelationValue {
  readonly type: string
  readonly targetId: EntityId
}

/** The entity's state as read from a document. */
export interface EntityState {
  readonly entity: ReplicatedEntity
  readonly deleted: Stamp | undefined
  readonly relations: readonly RelationState[]
  readonly changedTwice: readonly TwiceChangedField[]
}

type Values = Readonly<Record<string, unknown>>

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const RELATION = /^([a-z][a-z0-9_]{0,49}) ([0-9a-f-]{36})$/
/** Of a list, and of the relations that start at one entity. */
const MOST_ITEMS = 10_000

/**
 * Undefined while the document lacks required fields, or has values that this version does not understand. A pure
 * function of the document, independent of the merge order: that makes clones converge.
 */
export function toEntityState(id: EntityId, raw: RawState): EntityState | undefined {
  const fields = asValues(raw['fields'])
  const { type, number, created_at: createdAt, deleted_at: deletedAt } = fields
  const title = toTitle(fields['title'])
  if (!ID.test(id) || !isEntityType(type)) return undefined
  if (title === undefined || !isTime(createdAt)) return undefined
  const properties = toProperties(type, raw)
  if (properties === undefined) return undefined
  const { status } = properties
  const entity = {
    id,
    type,
    number: isNumber(number) ? number : 0,
    title,
    content: toContent(raw),
    tags: toTags(raw),
    status: typeof status === 'string' ? status : null,
    properties,
    createdAt,
    createdBy: toName(fields['created_by']),
    updatedAt: isTime(fields['updated_at']) ? fields['updated_at'] : createdAt,
    updatedBy: toName(fields['updated_by']),
    origin: parseOrigin(fields['origin']),
  }
  const deleted = isTime(deletedAt)
    ? { at: deletedAt, by: toName(fields['deleted_by']) }
    : undefined
  if (deleted !== undefined) return { entity, deleted, relations: [], changedTwice: [] }
  const changedTwice = toChangedTwice(type, raw[CHANGED_TWICE])
  return { entity, deleted, relations: toRelations(id, raw), changedTwice }
}

/** An array is never from the document itself: those have containers. */
function toChangedTwice(type: EntityType, found: unknown): readonly TwiceChangedField[] {
  if (!Array.isArray(found)) return []
  const isField = (name: string) =>
    name === 'title' || name === 'content' || hasProperty(type, name)
  return (found as TwiceChangedField[]).filter(({ field }) => isField(field))
}

/**
 * Texts are merged by lines, and every line of a document is ended, the last one too. Otherwise adding a line would
 * change the one before it, and two who add one would each write that line again.
 */
export function withLastLineEnded(text: string): string {
  return `${text}\n`
}

function withoutLastLineEnd(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text
}

function toContent(raw: RawState): string | null {
  const text = raw['text:content']
  if (typeof text === 'string' && text !== '') return toMergedContent(withoutLastLineEnd(text))
  return asValues(raw['fields'])['content'] === '' ? '' : null
}

/** Drops invalid fields one at a time: a merge can combine values that no single write would. */
function toProperties(type: EntityType, raw: RawState): Values | undefined {
  return withoutBroken(type, toRawProperties(type, raw))
}

function toRawProperties(type: EntityType, raw: RawState): Record<string, unknown> {
  const properties: Record<string, unknown> = Object.fromEntries(
    Object.entries(asValues(raw['properties'])).map(([name, value]) => [
      name,
      typeof value === 'string' ? toMergedProperty(value) : value,
    ]),
  )
  for (const [root, value] of Object.entries(raw)) {
    const [kind, name = ''] = root.split(':', 2)
    if (name === 'content' || name === 'tags') continue
    if (kind === 'text' && typeof value === 'string' && value !== '') {
      properties[name] = toMergedText(withoutLastLineEnd(value))
    }
    if (kind === 'list' && Object.keys(asValues(value)).length > 0) {
      properties[name] = toListValues(asValues(value)).slice(0, MOST_ITEMS)
    }
  }
  const status = resolveStatus(type, Object.values(asValues(raw[STATUS])))
  if (status !== undefined) properties[STATUS] = status
  return properties
}

/** All facts of a document by name. For display; not validated. */
export function toFacts(raw: RawState): ReadonlyMap<string, unknown> {
  const { type, title, number, deleted_at: deletedAt } = asValues(raw['fields'])
  const facts: Record<string, unknown> = {
    type,
    title,
    number,
    deleted: isTime(deletedAt) ? true : undefined,
    content: toContent(raw) ?? undefined,
    tags: toTags(raw),
  }
  const properties = toRawProperties(type as EntityType, raw)
  for (const [name, value] of Object.entries(properties)) facts[`properties.${name}`] = value
  for (const name of Object.keys(asValues(raw['relations']))) facts[`relation ${name}`] = true
  return new Map(Object.entries(facts).filter(([, value]) => value !== undefined))
}

/** The valid part of these facts, by the same rules as a merge. */
export function toFields(type: EntityType, facts: ReadonlyMap<string, unknown>): RowFields {
  const [title, content, tags] = [facts.get('title'), facts.get('content'), facts.get('tags')]
  const given = [...facts].flatMap(([name, value]) => {
    const property = toPropertyName(name)
    return property === undefined ? [] : [[property, value]]
  })
  const properties = withoutBroken(type, Object.fromEntries(given))
  return {
    title: toTitle(title),
    content: typeof content === 'string' ? content : null,
    tags: Array.isArray(tags) ? (tags as string[]) : [],
    properties,
  }
}

/** Names of the facts that are invalid beside the others. */
export function findForbidden(type: EntityType, facts: ReadonlyMap<string, unknown>): string[] {
  const { properties = {} } = toFields(type, facts)
  return [...facts.keys()].filter((name) => {
    const property = toPropertyName(name)
    return property !== undefined && !(property in properties)
  })
}

interface RowFields {
  /** Undefined if there is no valid title. */
  readonly title: string | undefined
  readonly content: string | null
  readonly tags: readonly string[]
  readonly properties: Values | undefined
}

/** Which property a fact of this name is about, if it is about one. */
export function toPropertyName(fact: string): string | undefined {
  return fact.startsWith('properties.') ? fact.slice('properties.'.length) : undefined
}

/** Undefined where there is none. */
function toTitle(value: unknown): string | undefined {
  const title = typeof value === 'string' ? toMergedTitle(value) : ''
  return title === '' ? undefined : title
}

function toTags(raw: RawState): string[] {
  return toMergedTags(toListValues(asValues(raw['list:tags'])))
}

function withoutBroken(type: EntityType, given: Record<string, unknown>): Values | undefined {
  const properties = { ...given }
  for (let tries = 2 * Object.keys(properties).length; tries >= 0; tries--) {
    try {
      return sorted(changedProperties(type, properties, {}))
    } catch (error) {
      const broken = brokenField(error)
      if (broken === undefined || !(broken in properties)) return undefined
      const shorter = toShorterList(properties[broken], error)
      if (shorter === undefined) delete properties[broken]
      else properties[broken] = shorter
    }
  }
  return undefined
}

/** Concurrent additions can make a list longer than its limit; it is then truncated, not dropped. */
function toShorterList(value: unknown, error: unknown): readonly unknown[] | undefined {
  if (!Array.isArray(value) || !(error instanceof Failure)) return undefined
  const { rule, max } = error.details
  return rule === 'too_many' && typeof max === 'number' ? value.slice(0, max) : undefined
}

function brokenField(error: unknown): string | undefined {
  if (error instanceof Failure) return String(error.details['field']).split('.')[1]
  // The records of an end are checked by the schema library alone.
  const issues = (error as { issues?: readonly { path: readonly PropertyKey[] }[] }).issues
  return issues?.[0]?.path[0]?.toString()
}

function toRelations(id: EntityId, raw: RawState): RelationState[] {
  const relations = Object.entries(asValues(raw['relations'])).flatMap(([name, value]) => {
    const [, type = '', targetId = ''] = RELATION.exec(name) ?? []
    const { created_at, created_by, properties } = asValues(value)
    if (!ID.test(targetId) || targetId === id || !isTime(created_at)) return []
    return [
      {
        type,
        targetId: toEntityId(targetId),
        created_at,
        created_by: toName(created_by),
        properties: asValues(properties),
      },
    ]
  })
  return relations
    .toSorted((a, b) => (`${a.type} ${a.targetId}` < `${b.type} ${b.targetId}` ? -1 : 1))
    .slice(0, MOST_ITEMS)
}

function asValues(value: unknown): Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Values)
    : {}
}

function sorted(values: Values): Values {
  return Object.fromEntries(Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function isEntityType(value: unknown): value is EntityType {
  return ENTITY_TYPES.includes(value as EntityType)
}

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && Math.abs(value as number) <= 8.64e15
}

function isNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= LARGEST_NUMBER
}

function toName(value: unknown): string | null {
  return typeof value === 'string' ? toAgentName(value) : null
}
