import { toDisplayId } from '../entity/reference.ts'
import { findCycle } from './find-cycle.ts'
import { ACYCLIC_RELATION_TYPES } from './relation.ts'
import { Failure } from '../core/error.ts'
import { violation } from '../core/input/parse.ts'
import type { EntityRow } from '../entity/store.ts'
import type { Change } from '../core/change.ts'
import { findTask } from '../task/find-task.ts'
import type { EntityId } from '../entity/entity-id.ts'

export interface NewRelation {
  readonly source: EntityRow
  readonly type: string
  readonly target: EntityRow
  /** The input field to blame when the relation makes no sense. */
  readonly field: string
}

/** Adds a relation. False, as a no-op, if it exists already. */
export async function relate(change: Change, relation: NewRelation): Promise<boolean> {
  const { source, type, target, field } = relation
  if (source.id === target.id) {
    throw violation(field, 'self_reference', 'must be another entity than the one it starts at', {
      id: source.id,
    })
  }
  if (ACYCLIC_RELATION_TYPES.has(type)) await refuseCycle(change, relation)
  const created = await change.relations.insert({
    sourceId: source.id,
    type,
    targetId: target.id,
    properties: {},
    createdAt: change.stamp.at,
    createdBy: change.stamp.by,
  })
  if (created) await change.announce('relation.created', source.id, { type, target: target.id })
  return created
}

/** Makes `to` the one task that this one has the relation to; `null` leaves none, and undefined those there are. */
export async function pointTask(
  change: Change,
  task: EntityRow,
  type: string,
  { to, field }: { readonly to: string | null | undefined; readonly field: string },
): Promise<void> {
  if (to === undefined) return
  const target = to === null ? undefined : await findTask(change, to, field)
  for (const other of await change.tasks.related(task.id, type, 'from')) {
    if (other.id !== target?.id) await unrelate(change, task, type, other)
  }
  if (target !== undefined) await relate(change, { source: task, type, target, field })
}

export async function unrelate(
  change: Change,
  source: EntityRow,
  type: string,
  target: EntityRow,
): Promise<void> {
  const key = { sourceId: source.id, type, targetId: target.id }
  if (await change.relations.remove(key, change.stamp)) {
    await change.announce('relation.deleted', source.id, { type, target: target.id })
  }
}

/** Walks from the target along relations of this type; reaching the source means that the new one creates a cycle. */
async function refuseCycle(change: Change, { source, type, target }: NewRelation): Promise<void> {
  const relation = { sourceId: source.id, type, targetId: target.id }
  const found = await findCycle(change.relations, relation)
  if (found !== undefined) throw await cycle(change, type, found)
}

async function cycle(change: Change, type: string, ids: readonly EntityId[]): Promise<Failure> {
  const rows = await Promise.all(ids.map((id) => change.entities.byId(id)))
  const names = rows.map((row) => (row === undefined ? '?' : toDisplayId(row)))
  return new Failure('conflict', `this would create a ${type} cycle: ${names.join(' → ')}`, {
    details: { reason: 'cycle', type, cycle: ids },
  })
}
