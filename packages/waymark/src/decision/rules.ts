import { Failure } from '../core/error.ts'
import { violation } from '../core/input/parse.ts'
import type { Change } from '../core/change.ts'
import { changedProperties } from '../entity/entity.ts'
import { toDisplayId } from '../entity/reference.ts'
import type { EntityReader, EntityRow } from '../entity/store.ts'
import { emitEntityEvent } from '../entity/view.ts'
import { relate } from '../relation/relate.ts'
import { toEntityId } from '../entity/entity-id.ts'

/** The decision `before` with its successor, or undefined if it had this one already. Both are decisions. */
export async function supersede(
  change: Change,
  before: EntityRow,
  successor: EntityRow,
): Promise<EntityRow | undefined> {
  if (before.id === successor.id) {
    throw violation('new', 'self_reference', 'must be another decision than the old one', {
      id: before.id,
    })
  }
  const isReplaced = await checkSuccessor(change.entities, before, successor)
  await relate(change, { source: successor, type: 'supersedes', target: before, field: 'new' })
  if (isReplaced) return undefined
  const properties = changedProperties('decision', before.properties, {
    status: 'superseded',
    superseded_by: successor.id,
  })
  const after = await change.entities.update(
    before.id,
    { status: 'superseded', properties },
    change.stamp,
  )
  if (after === undefined) {
    throw new Failure('internal', `decision ${before.number} vanished inside its transaction`)
  }
  await emitEntityEvent(change, 'decision.superseded', after, { superseded_by: successor.id })
  return after
}

/** Whether it is superseded already. A decision has one successor, and a cycle would leave none in force. */
async function checkSuccessor(
  entities: EntityReader,
  before: EntityRow,
  successor: EntityRow,
): Promise<boolean> {
  const present = before.properties['superseded_by']
  if (present === successor.id) return true
  if (typeof present === 'string') {
    const other = await entities.byId(toEntityId(present))
    if (other !== undefined) {
      throw new Failure(
        'conflict',
        `decision ${toDisplayId(before)} is superseded by ${toDisplayId(other)} already`,
        { details: { reason: 'superseded', field: 'old', superseded_by: other.id } },
      )
    }
  }
  const seen = new Set<string>()
  for (let at: EntityRow | undefined = successor; at !== undefined && !seen.has(at.id);) {
    seen.add(at.id)
    if (at.id === before.id) {
      throw new Failure(
        'conflict',
        `decision ${toDisplayId(successor)} is itself superseded by ${toDisplayId(before)}`,
        { details: { reason: 'cycle', field: 'new' } },
      )
    }
    const next: unknown = at.properties['superseded_by']
    at = typeof next === 'string' ? await entities.byId(toEntityId(next)) : undefined
  }
  return false
}
