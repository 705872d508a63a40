import type { Context } from '../context.ts'
import { changedProperties, content, newProperties, tags, title } from '../domain/entity.ts'
import { hashText } from '../domain/prd.ts'
import type { ImportedTask } from '../domain/imports/imported-task.ts'
import type { Prd } from '../domain/task-fields.ts'
import { refuseSecrets } from '../domain/secrets/refuse-secrets.ts'
import { Failure } from '../error.ts'
import { parse } from '../parse.ts'
import type { EntityRow } from '../store/entities.ts'
import type { Change } from './change.ts'
import { announceTask, settleTask } from './record-task.ts'
import { relate } from './relate.ts'

export type ImportAction = 'created' | 'updated' | 'unchanged' | 'left_out'

export interface Imported {
  readonly action: ImportAction
  readonly row?: EntityRow
}

interface Arrival {
  readonly task: ImportedTask
  /** The part of a document that it refers to, with what that says now. */
  readonly prd: Prd | undefined
  readonly remarks: string[]
}

/**
 * Takes one task over. What was taken over before is found again by where it came from, and is touched only if it
 * has changed there since: what people have done to it here stays.
 */
export async function importTask(
  context: Context,
  change: Change,
  { task, prd, remarks }: Arrival,
): Promise<Imported> {
  const hash = hashText(JSON.stringify(task))
  const known = (await change.tasks.byExternalRef(task.ref)) ?? (await ownTask(change, task))
  if (known?.properties['external_hash'] === hash) return { action: 'unchanged', row: known }
  try {
    // It was read from a file, so nobody has looked at it yet.
    refuseSecrets(task, context.allowedSecrets)
    const row =
      known === undefined
        ? await insert(context, change, { task, prd, hash, remarks })
        : await update(change, known, { task, prd, hash, remarks })
    return { action: known === undefined ? 'created' : 'updated', row }
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'invalid_input') throw error
    remarks.push(`${task.key} was left out: ${error.message}`)
    return { action: 'left_out' }
  }
}

/** A task without a key goes by its id in what is written for other tools, and comes back under that name. */
async function ownTask(
  { entities }: Change,
  { key }: ImportedTask,
): Promise<EntityRow | undefined> {
  const row = await entities.byId(key)
  return row?.type === 'task' ? row : undefined
}

/** Adds the relations that are not there yet; one that leads nowhere or in a circle is told of and left out. */
export async function relateImported(
  change: Change,
  task: ImportedTask,
  rows: ReadonlyMap<string, EntityRow>,
  remarks: string[],
): Promise<void> {
  const row = rows.get(task.ref)
  if (row === undefined) return
  for (const { type, ref } of task.relations) {
    const other = rows.get(ref) ?? (await change.tasks.byExternalRef(ref))
    if (other === undefined) {
      remarks.push(`${task.key} ${type} ${ref}, which is not there`)
      continue
    }
    const [source, target] = type === 'blocked_by' ? [other, row] : [row, other]
    try {
      const word = type === 'blocked_by' ? 'blocks' : type
      await relate(change, { source, type: word, target, field: 'relations' })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      remarks.push(`${task.key} ${type} ${ref} was left out: ${error.message}`)
    }
  }
}

type Fields = Readonly<Record<string, unknown>>

type Arriving = Arrival & { readonly hash: string }

async function insert(
  context: Context,
  change: Change,
  { task, prd, hash, remarks }: Arriving,
): Promise<EntityRow> {
  const [holder] = await change.tasks.byKey(task.key)
  if (holder !== undefined) {
    remarks.push(`${task.key} came without its key, which task ${holder.number} has`)
  }
  const key = holder === undefined ? task.key : undefined
  const fields = toFields({ ...task, prd: prd ?? task.prd }, hash, key)
  const properties = { ...newProperties('task', fields), ...toRecord(task) }
  const { at, by } = change.stamp
  const created = Date.parse(task.created_at ?? '')
  const row = await change.entities.insert({
    id: context.newId(),
    type: 'task',
    ...toWords(task),
    status: task.status,
    properties,
    createdAt: Number.isNaN(created) ? at : Math.min(created, at),
    updatedAt: at,
    createdBy: by,
    origin: { imported: task.ref.split(':')[0] ?? '' },
  })
  await announceTask(change, row, { type: 'entity.created', facts: { imported: task.ref } })
  return row
}

async function update(
  change: Change,
  known: EntityRow,
  { task, prd, hash }: Arriving,
): Promise<EntityRow> {
  const isDated = (task.prd as Prd | undefined)?.hash !== undefined
  const before = isDated ? undefined : (known.properties['prd'] as Prd | undefined)
  const kept = prd && keepHashes(before, prd)
  const fields = toFields({ ...task, prd: kept ?? task.prd }, hash, undefined)
  const changed = changedProperties('task', known.properties, fields)
  const properties = { ...changed, ...toRecord(task) }
  const row = await change.entities.update(
    known.id,
    { ...toWords(task), status: task.status, properties },
    change.stamp,
  )
  if (row === undefined) throw new Failure('internal', `task ${known.number} vanished`)
  await announceTask(change, row, { type: 'entity.updated', facts: { imported: task.ref } })
  await settleTask(change, known, row)
  return row
}

/** What the same sections said when the task came first is what they are held against, until it refers to others. */
function keepHashes(before: Prd | undefined, now: Prd): Prd {
  const places = ({ source, refs }: Prd) =>
    JSON.stringify([source, refs.map(({ anchor, lines }) => [anchor, lines])])
  if (before?.hash === undefined || places(before) !== places(now)) return now
  return { ...now, hash: before.hash, refs: before.refs }
}

function toWords(task: ImportedTask): Pick<EntityRow, 'title' | 'content' | 'tags'> {
  return {
    title: parse(title, task.title, ['title']),
    content: task.content === undefined ? null : parse(content, task.content, ['content']),
    tags: [...new Set(parse(tags, task.labels, ['labels']))],
  }
}

function toFields(task: ImportedTask, hash: string, key: string | undefined): Fields {
  const { status, priority, due_date, defer_until, assignee, task_type, prd } = task
  const { acceptance_criteria, locks, needs_verification } = task
  return defined({
    status,
    priority,
    due_date,
    defer_until,
    assignee,
    task_type,
    prd,
    acceptance_criteria,
    locks,
    needs_verification,
    key,
    external_ref: task.ref,
    external_hash: hash,
  })
}

function toRecord(task: ImportedTask): Fields {
  const { completed_at, completed_by, verified_at, verified_by, close_reason } = task
  return defined({ completed_at, completed_by, verified_at, verified_by, close_reason })
}

function defined(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
