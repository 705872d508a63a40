import * as z from 'zod'
import type { Context } from '../core/context.ts'
import {
  changedProperties,
  content,
  documentProperties,
  type EntityType,
  entityType,
  newProperties,
  type Properties,
  refuseUnknownProperties,
  statusesOf,
  tags,
  title,
} from './entity.ts'
import { reference } from './reference.ts'
import { parseRelationText, relationText } from '../relation/relation.ts'
import { Failure } from '../core/error.ts'
import { defineOperation } from '../core/operation.ts'
import { violation } from '../core/input/parse.ts'
import { calendarDate, documentedAs } from '../core/input/schema.ts'
import type { EntityRow } from './store.ts'
import {
  changedFields,
  emitEntityEvent,
  entityLabel,
  entityView,
  label,
  nameToAgent,
  showEntities,
  showEntity,
  showEntityToAgent,
  toEntityLabel,
  toEntityView,
} from './view.ts'
import { type Change, change } from '../core/change.ts'
import { editedTags } from './tag/edited-tags.ts'
import { refuseTakenKey } from '../task/write/create-task.ts'
import { assertRevision, expectedRevision } from './expected-revision.ts'
import { findEntity } from './find-entity.ts'
import { findLinked, linkedView } from './linked/linked.ts'
import { force, forceDelete, overrideLease, reason } from '../task/lease/override/override.ts'
import { isHeld } from '../task/lease/lease.ts'
import { leaseView, toLeaseView } from '../task/view.ts'
import { takeFromHolder } from '../task/lease/rules.ts'
import { trust, trustIn } from '../agent/trust.ts'
import { onStatusChanged } from '../task/write/update-task-row.ts'
import { relate } from '../relation/relate.ts'
import { allStatuses, status, statuses } from '../task/state/status-filter.ts'
import { counted, line, own } from '../core/show.ts'
import { toEntityId } from './entity-id.ts'

// Which names mean something depends on the type, so the rules are checked there and only described here.
const properties = documentedAs(z.record(z.string(), z.unknown()), documentProperties).describe(
  'Fields of the type',
)
const relations = z.array(relationText).max(100)

export const createEntity = defineOperation({
  name: 'entity.create',
  summary: 'Record a decision, task, note, prompt, component or link',
  example: 'decision "Use SQLite for storage" --status accepted --tag db',
  effect: 'write',
  input: z.object({
    type: entityType.describe('Kind of entity'),
    title: title.describe('One line that says what it is'),
    content: content.optional().describe('Markdown text'),
    tags: tags.default([]).describe('Words to find it by'),
    properties: properties.default({}),
    relations: relations.default([]).describe('Relations to existing entities, as type:id'),
  }),
  output: entityView,
  positional: ['type', 'title'],
  async run(context, input) {
    checkNames(context, input.type, input.properties)
    const properties = newProperties(input.type, input.properties)
    return await change(context, async (change) => {
      await refuseTaskKey(change, input.type, properties)
      const { at, by } = change.stamp
      const row = await change.entities.insert({
        id: toEntityId(context.newId()),
        type: input.type,
        title: input.title,
        content: input.content ?? null,
        tags: unique(input.tags),
        ...(await toStored(change, properties)),
        createdAt: at,
        createdBy: by,
      })
      await emitEntityEvent(change, 'entity.created', row)
      await relateAll(change, row, input.relations)
      return toEntityView(row)
    })
  },
  show: showEntity,
  showToAgent: (entity) => [line`recorded ${nameToAgent(entity)}`],
})

export const getEntity = defineOperation({
  name: 'entity.get',
  summary: 'Show one entity',
  example: '12',
  effect: 'read',
  input: z.object({ id: reference }),
  output: entityView.omit({ received: true }).extend({
    trust,
    linked: linkedView,
    lease: leaseView.optional().describe('Who holds a task now'),
    revision: z.int().describe('Counts its changes; entity.update takes it as expected_revision'),
  }),
  positional: ['id'],
  async run(context, { id }) {
    const entity = await findEntity(context.store.entities, id)
    const [found = {}] = await trustIn(context, [{ entity }])
    const [linked = {}] = await findLinked(context, [entity])
    // Trust says it, and more.
    const { received: _, ...view } = toEntityView(entity)
    const now = await context.store.now(context)
    const lease = entity.type === 'task' ? await context.store.leases.of(entity.id) : undefined
    const held = isHeld(lease, now) && { lease: toLeaseView(lease, now) }
    return { ...view, trust: found, linked, ...held, revision: entity.revision }
  },
  show: showEntity,
  showToAgent: showEntityToAgent,
})

export const listEntities = defineOperation({
  name: 'entity.list',
  summary: 'List entities, oldest first',
  example: 'decision --status accepted',
  effect: 'read',
  input: z.object({
    type: entityType.optional().describe('Only this kind'),
    status,
    statuses: statuses.default([]).describe('Only with one of these statuses'),
    except_statuses: statuses.default([]).describe('None with these statuses'),
    due_date: calendarDate().optional().describe('Only tasks due on this date'),
    tag: z.string().trim().optional().describe('Only with this tag'),
    limit: z.int().min(1).max(100).default(50).describe('How many at most'),
    offset: z.int().min(0).default(0).describe('How many to skip'),
  }),
  output: z.object({
    entities: z.array(entityView),
    total: z.int(),
    limit: z.int(),
    offset: z.int(),
  }),
  positional: ['type'],
  async run(context, { type, tag, limit, offset, ...filter }) {
    const statuses = allStatuses(filter)
    const { entities, total, isCut } = await context.store.entities.list({
      type,
      tag,
      statuses,
      exceptStatuses: filter.except_statuses,
      dueDate: filter.due_date,
      limit,
      offset,
    })
    // A program may filter by what another one stores; a person has mistyped.
    if (total === 0 && context.agent.surface === 'cli') refuseUnknownStatus(statuses, type)
    return {
      entities: entities.map(toEntityView),
      total,
      limit: isCut ? entities.length : limit,
      offset,
    }
  },
  pages: {
    next({ entities, offset, total }) {
      const end = offset + entities.length
      return entities.length > 0 && end < total ? { offset: end } : undefined
    },
    join: ({ entities, offset }, page) => ({
      ...page,
      entities: [...entities, ...page.entities],
      offset,
    }),
  },
  show: showEntities,
})

/** Only where nothing was found: a newer version in another clone may know more statuses. */
function refuseUnknownStatus(given: readonly string[], type: EntityType | undefined): void {
  const valid = statusesOf(type)
  const value = given.find((status) => !valid.includes(status))
  if (value === undefined) return
  const rule = valid.length === 0 ? `a ${type} has none` : `must be one of ${valid.join(', ')}`
  throw violation('status', 'not_one_of', rule, { value, valid })
}

export const updateEntity = defineOperation({
  name: 'entity.update',
  summary: 'Change an entity; what is not named stays as it is',
  example: '12 --add-tag db --status accepted',
  effect: 'write',
  input: z.object({
    id: reference,
    title: title.optional().describe('New title'),
    content: content.optional().describe('New text, replaces the old one'),
    tags: tags.optional().describe('New tags, replace the old ones'),
    add_tags: tags.default([]).describe('Tags to add'),
    remove_tags: tags.default([]).describe('Tags to remove'),
    properties: properties.default({}),
    relations: relations.default([]).describe('Relations to add, as type:id'),
    force,
    reason,
    expected_revision: expectedRevision,
  }),
  output: entityView,
  positional: ['id'],
  async run(context, { id, relations, force, reason, expected_revision, ...edit }) {
    if (relations.length === 0 && isEmpty(edit)) {
      throw violation('input', 'required', 'names nothing to change')
    }
    return await change(context, async (change) => {
      const current = await findEntity(change.entities, id)
      assertRevision(current, expected_revision)
      checkNames(context, current.type as EntityType, edit.properties)
      const free = await takeFromHolder(context, change, current, { force, reason })
      const row = isEmpty(edit) ? free : await apply(change, free, edit)
      await relateAll(change, row, relations)
      return toEntityView(row)
    })
  },
  show: showEntity,
  showToAgent: (entity) => [line`changed ${nameToAgent(entity)}`],
})

export const deleteEntity = defineOperation({
  name: 'entity.delete',
  summary: 'Delete an entity and its relations',
  example: '12',
  effect: 'delete',
  idempotent: true,
  input: z.object({ id: reference, force: forceDelete, reason }),
  output: entityLabel.extend({ deleted: z.literal(true), relations_removed: z.int() }),
  positional: ['id'],
  async run(context, { id, ...override }) {
    return await change(context, async (change) => {
      const row = await findEntity(change.entities, id)
      await overrideLease(context, change, row, override)
      const relations = await change.relations.removeAllOf(row.id, change.stamp)
      await change.entities.remove(row.id, change.stamp)
      for (const { sourceId, type, targetId } of relations) {
        await change.announce('relation.deleted', sourceId, { type, target: targetId })
      }
      await emitEntityEvent(change, 'entity.deleted', row)
      return { ...toEntityLabel(row), deleted: true as const, relations_removed: relations.length }
    })
  },
  show({ relations_removed: removed, ...entity }) {
    const relations = own(removed === 0 ? '' : ` and ${counted(removed, 'relation')}`)
    return [line`deleted ${entity.type} ${label(entity)}${relations}`]
  },
})

function checkNames(context: Context, type: EntityType, properties: Properties): void {
  if (context.ignoresUnknownProperties !== true) refuseUnknownProperties(type, properties)
}

interface Edit {
  readonly title?: string | undefined
  readonly content?: string | undefined
  readonly tags?: readonly string[] | undefined
  readonly add_tags: readonly string[]
  readonly remove_tags: readonly string[]
  readonly properties: Properties
}

function isEmpty({ title, content, tags, add_tags, remove_tags, properties }: Edit): boolean {
  const replaced = title ?? content ?? tags
  return (
    replaced === undefined && [...add_tags, ...remove_tags, ...Object.keys(properties)].length === 0
  )
}

async function apply(change: Change, current: EntityRow, edit: Edit): Promise<EntityRow> {
  const properties = changedProperties(
    current.type as EntityType,
    current.properties,
    edit.properties,
  )
  await refuseTaskKey(change, current.type, properties, current)
  const changes = {
    title: edit.title ?? current.title,
    content: edit.content ?? current.content,
    tags: editedTags(current.tags, {
      replaced: edit.tags,
      added: edit.add_tags,
      removed: edit.remove_tags,
      field: 'add_tags',
    }),
    ...(await toStored(change, properties, current)),
  }
  const row = await change.entities.update(current.id, changes, change.stamp)
  if (row === undefined)
    throw new Failure('internal', `entity ${current.number} vanished inside its transaction`)
  await emitEntityEvent(change, 'entity.updated', row, { changed: changedFields(current, row) })
  await onStatusChanged(change, current, row)
  return row
}

/** A task's key is its own, whichever operation gives it. */
async function refuseTaskKey(
  change: Change,
  type: string,
  { key }: Properties,
  before?: EntityRow,
): Promise<void> {
  if (type !== 'task' || typeof key !== 'string' || key === before?.properties['key']) return
  await refuseTakenKey(change, key, 'properties.key')
}

/**
 * Resolves `superseded_by` from a number or prefix to the id, which is stable. An unchanged value is not resolved
 * again, so it may name a decision that has been deleted since.
 */
async function toStored(
  change: Change,
  properties: Properties,
  before?: EntityRow,
): Promise<Pick<EntityRow, 'status' | 'properties'>> {
  const { status, superseded_by: successor } = properties
  const stored = { status: typeof status === 'string' ? status : null, properties }
  const isNew = successor !== before?.properties['superseded_by']
  if (typeof successor !== 'string' || !isNew) return stored
  const { id } = await findEntity(change.entities, successor, 'properties.superseded_by')
  return { ...stored, properties: { ...properties, superseded_by: id } }
}

async function relateAll(
  change: Change,
  source: EntityRow,
  relations: readonly string[],
): Promise<void> {
  for (const [index, text] of relations.entries()) {
    const field = `relations.${index}`
    const { type, target } = parseRelationText(text, field)
    await relate(change, {
      source,
      type,
      target: await findEntity(change.entities, target, field),
      field,
    })
  }
}

function unique(words: readonly string[]): string[] {
  return [...new Set(words)]
}
