import { changedProperties } from '../../entity/entity.ts'
import { isHeld } from '../lease/lease.ts'
import { isClosed } from '../task.ts'
import { Failure } from '../../core/error.ts'
import type { EntityRow } from '../../entity/store.ts'
import { emitEntityEvent } from '../../entity/view.ts'
import type { EventType } from '../../event/types.ts'
import type { Change } from '../../core/change.ts'
import { asTask } from '../fields.ts'

type Fields = Readonly<Record<string, unknown>>

/** What happened to a task, and facts that belong to it. */
export interface TaskEvent {
  readonly type: EventType
  readonly facts?: Fields
}

/** Updates a task's properties and emits the event; `null` clears a property. */
export async function updateTaskRow(
  change: Change,
  before: EntityRow,
  fields: Fields,
  event: TaskEvent,
): Promise<EntityRow> {
  const kept = changedProperties('task', before.properties, fields)
  const written = Object.entries({ ...kept, ...fields }).filter(([, value]) => value !== null)
  const row = await change.entities.update(
    before.id,
    { status: String(kept['status']), properties: Object.fromEntries(written) },
    change.stamp,
  )
  if (row === undefined) {
    throw new Failure('internal', `task ${before.number} vanished inside its transaction`)
  }
  await emitTaskEvent(change, row, event)
  return row
}

export async function emitTaskEvent(
  change: Change,
  row: EntityRow,
  { type, facts = {} }: TaskEvent,
): Promise<void> {
  await emitEntityEvent(change, type, row, { status: row.status, ...facts })
}

/**
 * Side effects of a status change by a general edit: closing ends the lease, and emits the same event as the dedicated
 * operation.
 */
export async function onStatusChanged(
  change: Change,
  before: EntityRow,
  after: EntityRow,
): Promise<void> {
  if (after.type !== 'task' || before.status === after.status) return
  if (!isClosed(asTask(before)) && !isClosed(asTask(after))) return
  // A holder that closes its own task may still name its fence afterwards, for a repeated call.
  const lease = await change.leases.of(after.id)
  const keepsFence = isClosed(asTask(after)) && isHeld(lease, change.stamp.at)
  const to = isClosed(asTask(after)) ? 'closed' : 'open'
  await change.leases.clear(after.id, { keepsFence, to, now: change.stamp.at })
  await emitTaskEvent(change, after, {
    type: CLOSING_EVENTS[String(after.status)] ?? 'task.reopened',
  })
}

const CLOSING_EVENTS: Readonly<Record<string, EventType>> = {
  done: 'task.done',
  cancelled: 'task.cancelled',
}
