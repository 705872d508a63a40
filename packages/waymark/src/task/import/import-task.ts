import type { Context } from '../../core/context.ts'
import { changedProperties, content, newProperties, tags, title } from '../../entity/entity.ts'
import { hashImported, type ImportedTask, toImportOrigin } from './imported-task.ts'
import { type Prd, toVerifiedCompletion } from '../fields.ts'
import { refuseSecrets } from '../../secret/secrets.ts'
import { Failure } from '../../core/error.ts'
import { parse } from '../../core/input/parse.ts'
import { body } from '../../core/input/schema.ts'
import type { EntityRow } from '../../entity/store.ts'
import type { Change } from '../../core/change.ts'
import { cancelOne } from '../state/close-task.ts'
import { sweepLeases } from '../lease/rules.ts'
import { emitTaskEvent, onStatusChanged } from '../write/update-task-row.ts'
import { supersede } from '../../decision/rules.ts'
import { type NewRelation, relate } from '../../relation/relate.ts'
import { lookUp } from '../../support/look-up.ts'
import { toEntityId } from '../../entity/entity-id.ts'

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
  /** The task that it is, where the caller knows it and that it has changed. */
  readonly known?: EntityRow
}

/**
 * Imports one task. An earlier import is found by its external ref, and updated only if the source has changed since, so
 * that local edits are kept.
 */
export async function importTask(
  context: Context,
  change: Change,
  { task, prd, remarks, known: given }: Arrival,
): Promise<Imported> {
  const hash = hashImported(task)
  const [first, ...doubles] = await change.tasks.byExternalRef(task.ref)
  const known = given ?? first ?? (await ownTask(change, task))
  if (known !== undefined) await giveUpDoubles(context, change, { known, doubles, remarks })
  if (given === undefined && known?.properties['external_hash'] === hash) {
    return { action: 'unchanged', row: known }
  }
  const refusal = known === undefined ? undefined : await change.admission.refusal(known.id)
  if (known !== undefined && refusal !== undefined) {
    remarks.push(`${task.key} was left out: ${refusal.message}; import it again afterwards`)
    return { action: 'left_out', row: known }
  }
  try {
    // Input read from a file has not been scanned for secrets yet.
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

/** A task that was exported from here; a spec.yaml has one without a key under its id. */
async function ownTask(
  { entities }: Change,
  { key, own }: ImportedTask,
): Promise<EntityRow | undefined> {
  const row = await entities.byId(toEntityId(own?.id ?? key))
  return row?.type === 'task' ? row : undefined
}

/**
 * Adds missing relations; one with an unknown target, or that would create a cycle, is skipped with a remark. Between
 * two tasks that are unchanged in the source, relations removed locally stay removed.
 */
export async function relateImported(
  change: Change,
  task: Related,
  { imported, others, remarks }: Surroundings,
): Promise<void> {
  const { row, action } = imported.get(task.ref) ?? {}
  if (row === undefined) return
  for (const { type, ref } of task.relations) {
    const known = imported.get(ref)
    const other = known?.row ?? others.get(ref)
    if (other === undefined) {
      remarks.push(`${task.key} ${type} ${ref}, which is not there`)
      continue
    }
    if (action === 'unchanged' && (known?.action ?? 'unchanged') === 'unchanged') continue
    const inverse = lookUp(INVERSES, type)
    if (type === 'blocked_by' && other.type === 'decision' && other.status === 'proposed') {
      remarks.push(`${task.key} does not wait for ${ref}: a decision blocks no task`)
    }
    const [source, target] = inverse === undefined ? [row, other] : [other, row]
    try {
      await connect(change, { source, type: inverse ?? type, target })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      remarks.push(`${task.key} ${type} ${ref} was left out: ${error.message}`)
    }
  }
}

/** Something imported, and what it is related to. */
export type Related = Pick<ImportedTask, 'ref' | 'key' | 'relations'>

interface Surroundings {
  /** Everything that this import is about, by ref. */
  readonly imported: ReadonlyMap<string, Imported>
  /** What else its relations lead to. */
  readonly others: ReadonlyMap<string, EntityRow>
  readonly remarks: string[]
}

const INVERSES: Readonly<Record<string, string>> = {
  blocked_by: 'blocks',
  superseded_by: 'supersedes',
}

/**
 * What earlier imports made of the targets that this one has not, by ref. Asks for all at once: without an index, each
 * question about an entity other than a task reads all of them.
 */
export async function findOthers(
  change: Change,
  items: readonly Related[],
  imported: Surroundings['imported'],
): Promise<Surroundings['others']> {
  const refs = items.flatMap(({ relations }) => relations.map(({ ref }) => ref))
  const unknown = new Set(refs.filter((ref) => imported.get(ref)?.row === undefined))
  const found = new Map<string, EntityRow>()
  if (unknown.size === 0) return found
  const rows = await change.entities.byExternalRefs([...unknown])
  for (const row of rows.toReversed()) found.set(String(row.properties['external_ref']), row)
  for (const ref of unknown) {
    const [task] = await change.tasks.byExternalRef(ref)
    if (task !== undefined) found.set(ref, task)
  }
  return found
}

/** A decision that supersedes another one also ends it. */
async function connect(
  change: Change,
  { source, type, target }: Omit<NewRelation, 'field'>,
): Promise<void> {
  const isDecided = source.type === 'decision' && target.type === 'decision'
  // As it is now: an earlier relation of this import may have changed it.
  const now = isDecided ? await change.entities.byId(target.id) : undefined
  if (type === 'supersedes' && now !== undefined) await supersede(change, now, source)
  else await relate(change, { source, type, target, field: 'relations' })
}

interface Found {
  readonly known: EntityRow
  readonly doubles: readonly EntityRow[]
  readonly remarks: string[]
}

/** Clones that imported the same task independently have duplicates. The first one is kept. */
async function giveUpDoubles(
  context: Context,
  change: Change,
  { known, doubles, remarks }: Found,
): Promise<void> {
  for (const double of doubles) {
    if (double.status === 'cancelled') continue
    const same = `it is task ${known.number} once more`
    // Another clone's claim is known here by the status alone.
    const isBegun = double.status === 'done' || double.status === 'in_progress'
    if (isBegun || (await isHeld(change, double))) {
      remarks.push(`task ${double.number} stays as it is, but ${same}: cancel one of them`)
      continue
    }
    const reason = `imported twice: go on with task ${known.number}`
    await cancelOne(context, change, double, { reason })
    await relate(change, { source: double, type: 'duplicates', target: known, field: 'relations' })
    remarks.push(`task ${double.number} was cancelled: ${same}`)
  }
}

async function isHeld(change: Change, { id }: EntityRow): Promise<boolean> {
  await sweepLeases(change)
  return typeof (await change.leases.of(id))?.agentId === 'string'
}

type Fields = Readonly<Record<string, unknown>>

type Arriving = Arrival & { readonly hash: string }

async function insert(
  context: Context,
  change: Change,
  { task, prd, hash, remarks }: Arriving,
): Promise<EntityRow> {
  const wanted = task.own === undefined ? task.key : task.own.key
  const [holder] = wanted === undefined ? [] : await change.tasks.byKey(wanted)
  if (holder !== undefined) {
    remarks.push(`${task.key} came without its key, which task ${holder.number} has`)
  }
  const key = holder === undefined ? wanted : undefined
  const fields = toFields({ ...task, ...(prd && { prd }) }, hash, key)
  const properties = { ...newProperties('task', withoutNull(fields)), ...toRecord(task, remarks) }
  const { at, by } = change.stamp
  const created = Date.parse(task.created_at ?? '')
  const row = await change.entities.insert({
    id: toEntityId(context.newId()),
    type: 'task',
    ...toWords(task),
    status: task.status,
    properties,
    createdAt: Number.isNaN(created) ? at : Math.min(created, at),
    updatedAt: at,
    createdBy: by,
    origin: toImportOrigin(task),
  })
  await emitTaskEvent(change, row, { type: 'entity.created', facts: { imported: task.ref } })
  return row
}

async function update(
  change: Change,
  known: EntityRow,
  { task, prd, hash, remarks }: Arriving,
): Promise<EntityRow> {
  const isDated = (task.prd as Prd | undefined)?.hash !== undefined
  const before = isDated ? undefined : (known.properties['prd'] as Prd | undefined)
  const kept = prd && keepHashes(before, prd)
  const fields = {
    ...toFields({ ...task, ...(kept && { prd: kept }) }, hash, undefined),
    // What was exported from here may have come from elsewhere, and must be found from there again.
    external_ref: known.properties['external_ref'] ?? task.ref,
  }
  const changed = changedProperties('task', known.properties, fields)
  const completed_at = isCompletionGuessed(known, task) ? undefined : task.completed_at
  const record = toRecord({ ...task, completed_at }, remarks)
  // Check again: the local verification may be about another completion than the imported one.
  const properties = changedProperties('task', { ...changed, ...record }, {})
  const row = await change.entities.update(
    known.id,
    { ...toWords(task), status: task.status, properties },
    change.stamp,
  )
  if (row === undefined) throw new Failure('internal', `task ${known.number} vanished`)
  await emitTaskEvent(change, row, { type: 'entity.updated', facts: { imported: task.ref } })
  await onStatusChanged(change, known, row)
  return row
}

/** Backlog.md says only when a task was last changed: of one that is done already that is no other completion. */
function isCompletionGuessed(known: EntityRow, { ref, status }: ImportedTask): boolean {
  const isStillDone = status === 'done' && known.status === 'done'
  return isStillDone && ref.startsWith('backlog:') && 'completed_at' in known.properties
}

/** Keeps the section hashes of the first import as the baseline for drift, until the task refers to other sections. */
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

const OWN_FIELDS = [
  'status',
  'priority',
  'due_date',
  'defer_until',
  'assignee',
  'task_type',
  'prd',
  'acceptance_criteria',
  'locks',
  'needs_verification',
] as const satisfies readonly (keyof ImportedTask)[]

/** A field that the other tool has and that is empty there is `null`; one that it does not know is absent. */
function toFields(task: ImportedTask, hash: string, key: string | undefined): Fields {
  const own = OWN_FIELDS.filter((name) => name in task).map((name) => [name, task[name] ?? null])
  return {
    ...Object.fromEntries(own),
    ...(key !== undefined && { key }),
    external_ref: task.ref,
    external_hash: hash,
  }
}

function withoutNull(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
}

const RECORD = [
  'completed_at',
  'completed_by',
  'verified_at',
  'verified_by',
  'close_reason',
] as const satisfies readonly (keyof ImportedTask)[]

const recordText = body({ max: 4096 })

/** Invalid completion fields do not prevent the import; they are dropped with a remark. */
function toRecord(task: ImportedTask, remarks: string[]): Fields {
  const kept: Partial<Record<(typeof RECORD)[number], string>> = {}
  for (const name of RECORD) {
    const value = task[name]
    if (value === undefined) continue
    try {
      kept[name] = parse(recordText, value, [name])
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      remarks.push(`${task.key} came without this: ${error.message}`)
    }
  }
  // Without a completion time the verification applies to the local completion.
  const isTied = kept.completed_at !== undefined && kept.verified_at !== undefined
  return isTied ? { ...kept, verified_completion: toVerifiedCompletion(kept) } : kept
}
