import type { Change } from '../../core/change.ts'
import type { Context } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import { parse } from '../../core/input/parse.ts'
import { oneLine } from '../../core/input/schema.ts'
import {
  changedProperties,
  content,
  type EntityType,
  newProperties,
  tags,
  title,
} from '../../entity/entity.ts'
import type { EntityRow } from '../../entity/store.ts'
import { emitEntityEvent } from '../../entity/view.ts'
import { refuseSecrets } from '../../secret/secrets.ts'
import { sha256 } from '../../support/hash/sha256.ts'
import type { Imported } from '../../task/import/import-task.ts'
import {
  hashImported,
  type ImportedKnowledge,
  toImportOrigin,
} from '../../task/import/imported-task.ts'
import { toEntityId } from '../../entity/entity-id.ts'

const LONGEST_REF = 200
const externalRef = oneLine({ max: LONGEST_REF })

/** Where something is in another tool; a name that is too long is replaced by its hash. */
export function toRef(tool: string, name: string): string {
  const ref = `${tool}:${name.trim()}`
  return Array.from(ref).length > LONGEST_REF ? `${tool}:${sha256(name)}` : ref
}

interface Arrival {
  readonly item: ImportedKnowledge
  /** What earlier imports made of it; clones that imported it independently have several. */
  readonly known: readonly EntityRow[]
  readonly remarks: string[]
}

/** Imports one entity. An earlier import is updated only if the source has changed since, so that local edits are kept. */
export async function importKnowledge(
  context: Context,
  change: Change,
  { item, known: [first, ...doubles], remarks }: Arrival,
): Promise<Imported> {
  const { own } = item
  const hash = hashImported(item)
  const exported = own === undefined ? undefined : await change.entities.byId(toEntityId(own.id))
  const known = first ?? (exported?.type === item.type ? exported : undefined)
  if (known !== undefined) await removeDoubles(change, known, { doubles, remarks })
  if (known?.properties['external_hash'] === hash) return { action: 'unchanged', row: known }
  try {
    refuseSecrets(item, context.allowedSecrets)
    const row =
      known === undefined
        ? await insert(context, change, item, hash)
        : await update(change, known, item, hash)
    return { action: known === undefined ? 'created' : 'updated', row }
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'invalid_input') throw error
    remarks.push(`${item.key} was left out: ${error.message}`)
    return { action: 'left_out' }
  }
}

async function insert(
  context: Context,
  change: Change,
  item: ImportedKnowledge,
  hash: string,
): Promise<EntityRow> {
  const given = Object.entries(item.properties).filter(([, value]) => value !== null)
  const properties = {
    ...newProperties(item.type, Object.fromEntries(given)),
    external_ref: parse(externalRef, item.ref, ['ref']),
    external_hash: hash,
  }
  const { at, by } = change.stamp
  const created = Date.parse(item.created_at ?? '')
  const row = await change.entities.insert({
    id: toEntityId(context.newId()),
    type: item.type,
    ...toWords(item),
    ...withStatus(properties),
    createdAt: Number.isNaN(created) ? at : Math.min(created, at),
    updatedAt: at,
    createdBy: by,
    origin: toImportOrigin(item),
  })
  await emitEntityEvent(change, 'entity.created', row, { imported: item.ref })
  return row
}

async function update(
  change: Change,
  known: EntityRow,
  item: ImportedKnowledge,
  hash: string,
): Promise<EntityRow> {
  // An entity keeps its type, so the fields of another one have no place in it.
  const own = known.type === item.type ? item.properties : {}
  const isInForce = own['status'] !== undefined && own['status'] !== 'superseded'
  const changed = changedProperties(known.type as EntityType, known.properties, {
    ...own,
    ...(known.type === 'decision' && isInForce && { superseded_by: null }),
  })
  const properties = {
    ...changed,
    external_ref: known.properties['external_ref'] ?? parse(externalRef, item.ref, ['ref']),
    external_hash: hash,
  }
  const changes = { ...toWords(item), ...withStatus(properties) }
  const row = await change.entities.update(known.id, changes, change.stamp)
  if (row === undefined) throw new Failure('internal', `entity ${known.number} vanished`)
  await emitEntityEvent(change, 'entity.updated', row, { imported: item.ref })
  return row
}

function toWords(item: ImportedKnowledge): Pick<EntityRow, 'title' | 'content' | 'tags'> {
  return {
    title: parse(title, item.title, ['title']),
    content: item.content === undefined ? null : parse(content, item.content, ['content']),
    tags: [...new Set(parse(tags, item.labels, ['tags']))],
  }
}

function withStatus(properties: EntityRow['properties']): Pick<EntityRow, 'status' | 'properties'> {
  const { status } = properties
  return { status: typeof status === 'string' ? status : null, properties }
}

interface Doubles {
  readonly doubles: readonly EntityRow[]
  readonly remarks: string[]
}

/** Clones that imported the same thing independently have duplicates. The first one is kept, and what was edited. */
async function removeDoubles(
  change: Change,
  known: EntityRow,
  { doubles, remarks }: Doubles,
): Promise<void> {
  const said = ({ title, content, tags }: EntityRow) => JSON.stringify([title, content, tags])
  for (const double of doubles) {
    if (said(double) !== said(known)) {
      remarks.push(`#${double.number} is #${known.number} once more, edited: delete one of them`)
      continue
    }
    await change.relations.removeAllOf(double.id, change.stamp)
    await change.entities.remove(double.id, change.stamp)
    await emitEntityEvent(change, 'entity.deleted', double)
    remarks.push(`#${double.number} was deleted: it is #${known.number} once more`)
  }
}
