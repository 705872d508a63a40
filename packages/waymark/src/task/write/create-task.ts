import type { Context } from '../../core/context.ts'
import { newProperties } from '../../entity/entity.ts'
import type { Prd } from '../fields.ts'
import { Failure } from '../../core/error.ts'
import type { EntityRow } from '../../entity/store.ts'
import type { Change } from '../../core/change.ts'
import { findTask } from '../find-task.ts'
import { relate } from '../../relation/relate.ts'
import { emitTaskEvent } from './update-task-row.ts'
import type { NewTask } from './input.ts'
import { quote } from '../../support/text/visible-text.ts'
import { toEntityId } from '../../entity/entity-id.ts'

/** Where in the input a task stands, to blame the right field: `tasks.3.` or nothing. */
type Path = string

/** Writes a new task without its relations, so that tasks made together may refer to each other. */
export async function insertTask(
  context: Context,
  change: Change,
  { input, prd, path = '' }: { input: NewTask; prd?: Prd | undefined; path?: Path },
): Promise<EntityRow> {
  const { title, content, labels, key } = input
  if (key !== undefined) await refuseTakenKey(change, key, `${path}key`)
  const properties = newProperties('task', { ...ownFields(input), prd })
  const { at, by } = change.stamp
  const row = await change.entities.insert({
    id: toEntityId(context.newId()),
    type: 'task',
    title,
    content: content ?? null,
    tags: [...new Set(labels)],
    status: String(properties['status']),
    properties,
    createdAt: at,
    createdBy: by,
  })
  await emitTaskEvent(change, row, { type: 'entity.created' })
  return row
}

export async function relateTask(
  change: Change,
  task: EntityRow,
  { input, path = '' }: { input: NewTask; path?: Path },
): Promise<void> {
  const { depends_on, blocks, parent, discovered_from, duplicates } = input
  for (const [at, text] of depends_on.entries()) {
    const field = `${path}depends_on.${at}`
    const source = await findTask(change, text, field)
    await relate(change, { source, type: 'blocks', target: task, field })
  }
  for (const [at, text] of blocks.entries()) {
    const field = `${path}blocks.${at}`
    const target = await findTask(change, text, field)
    await relate(change, { source: task, type: 'blocks', target, field })
  }
  const single = { parent, discovered_from, duplicates }
  for (const [name, type] of Object.entries(SINGLE_RELATIONS)) {
    const text = single[name as keyof typeof single]
    if (text === undefined) continue
    const field = `${path}${name}`
    const target = await findTask(change, text, field)
    await relate(change, { source: task, type, target, field })
  }
}

/** Whether a new task is to be related to other tasks. */
export function namesTasks({ depends_on, blocks, ...input }: NewTask): boolean {
  const single = Object.keys(SINGLE_RELATIONS) as (keyof typeof SINGLE_RELATIONS)[]
  return (
    depends_on.length > 0 || blocks.length > 0 || single.some((name) => input[name] !== undefined)
  )
}

/** Fields that name one other task, and the relation that each stands for. */
const SINGLE_RELATIONS = {
  parent: 'subtask_of',
  discovered_from: 'discovered_from',
  duplicates: 'duplicates',
} as const satisfies Partial<Record<keyof NewTask, string>>

export async function refuseTakenKey(change: Change, key: string, field: string): Promise<void> {
  const [holder] = await change.tasks.byKey(key)
  if (holder === undefined) return
  throw new Failure('conflict', `${field}: task ${holder.number} has the key ${quote(key)}`, {
    details: { reason: 'key_taken', field, key, id: holder.id },
  })
}

/** Drops fields that are undefined. */
function ownFields(input: NewTask): Readonly<Record<string, unknown>> {
  const fields = Object.entries(input).filter(([, value]) => value !== undefined)
  return Object.fromEntries(fields)
}
