import type { Context } from '../../core/context.ts'
import { changedProperties } from '../../entity/entity.ts'
import { isClosed, type TaskStatus } from '../task.ts'
import { Failure } from '../../core/error.ts'
import type { EntityRow } from '../../entity/store.ts'
import type { Change } from '../../core/change.ts'
import { cancelOne, type Closing, completeOne, reopenOne } from '../state/close-task.ts'
import { refuseTakenKey } from './create-task.ts'
import { editedTags } from '../../entity/tag/edited-tags.ts'
import { changedFields } from '../../entity/view.ts'
import { findTask } from '../find-task.ts'
import { resolveWriter, takeFromHolder } from '../lease/rules.ts'
import { emitTaskEvent } from './update-task-row.ts'
import { pointTask, relate, unrelate } from '../../relation/relate.ts'
import type { TaskEdit } from './input.ts'
import { asTask } from '../fields.ts'

/** Updates the given fields. A status change runs the same code as completing, cancelling or reopening. */
export async function editTask(
  context: Context,
  change: Change,
  before: EntityRow,
  { edit, path = '', ...closing }: Closing & { edit: TaskEdit; path?: string },
): Promise<EntityRow> {
  const isClosing = edit.status !== undefined && isClosed({ status: edit.status })
  let task = isClosing ? before : await takeFromHolder(context, change, before, closing)
  await resolveWriter(context, change, task, closing)
  if (edit.status !== undefined) task = await moveTo(context, change, task, edit.status, closing)
  task = await editFields(change, task, edit, path)
  await editRelations(change, task, edit, path)
  return task
}

async function moveTo(
  context: Context,
  change: Change,
  task: EntityRow,
  status: TaskStatus,
  closing: Closing,
): Promise<EntityRow> {
  if (status === task.status) return task
  if (status === 'done') return (await completeOne(context, change, task, closing)).task
  if (status === 'cancelled') return (await cancelOne(context, change, task, closing)).task
  const open = isClosed(asTask(task))
    ? (await reopenOne(context, change, task, closing)).task
    : task
  return open.status === status ? open : await update(change, open, { properties: { status } })
}

async function editFields(
  change: Change,
  task: EntityRow,
  edit: TaskEdit,
  path: string,
): Promise<EntityRow> {
  const { title, content, labels, add_labels, remove_labels, key } = edit
  if (typeof key === 'string' && key !== asTask(task).key) {
    await refuseTakenKey(change, key, `${path}key`)
  }
  const named = PROPERTIES.filter((name) => edit[name] !== undefined)
  const properties = Object.fromEntries(named.map((name) => [name, edit[name]]))
  const changesLabels = labels !== undefined || add_labels.length + remove_labels.length > 0
  const edited = {
    replaced: labels,
    added: add_labels,
    removed: remove_labels,
    field: `${path}add_labels`,
  }
  const changes = {
    ...(title !== undefined && { title }),
    ...(content !== undefined && { content }),
    ...(changesLabels && { tags: editedTags(task.tags, edited) }),
    ...(Object.keys(properties).length > 0 && { properties }),
  }
  return Object.keys(changes).length === 0 ? task : await update(change, task, changes)
}

/** The names of what is kept as properties. */
const PROPERTIES = [
  'priority',
  'due_date',
  'defer_until',
  'assignee',
  'task_type',
  'acceptance_criteria',
  'locks',
  'needs_verification',
  'key',
] as const satisfies readonly (keyof TaskEdit)[]

async function editRelations(
  change: Change,
  task: EntityRow,
  { add_depends_on, remove_depends_on, parent, duplicates }: TaskEdit,
  path: string,
): Promise<void> {
  for (const [at, text] of remove_depends_on.entries()) {
    const source = await findTask(change, text, `${path}remove_depends_on.${at}`)
    await unrelate(change, source, 'blocks', task)
  }
  for (const [at, text] of add_depends_on.entries()) {
    const field = `${path}add_depends_on.${at}`
    const source = await findTask(change, text, field)
    await relate(change, { source, type: 'blocks', target: task, field })
  }
  await pointTask(change, task, 'subtask_of', { to: parent, field: `${path}parent` })
  await pointTask(change, task, 'duplicates', { to: duplicates, field: `${path}duplicates` })
}

async function update(
  change: Change,
  task: EntityRow,
  { properties, ...changes }: Partial<Pick<EntityRow, 'title' | 'content' | 'tags' | 'properties'>>,
): Promise<EntityRow> {
  const changed = changedProperties('task', task.properties, properties ?? {})
  const row = await change.entities.update(
    task.id,
    { ...changes, status: String(changed['status']), properties: changed },
    change.stamp,
  )
  if (row === undefined) {
    throw new Failure('internal', `task ${task.number} vanished inside its transaction`)
  }
  await emitTaskEvent(change, row, {
    type: 'entity.updated',
    facts: { changed: changedFields(task, row) },
  })
  return row
}
