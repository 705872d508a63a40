import type { ReadContext } from '../../core/context.ts'
import type { EntityRow } from '../../entity/store.ts'
import type { Edge } from '../../graph/store.ts'
import { everyEntity, everyRelation } from '../../snapshot/everything.ts'
import { asTask, type TaskProperties } from '../../task/fields.ts'
import type { Remarks } from '../../task/import/imported-task.ts'

/** Everything that could be exported. */
export interface ExportContent {
  readonly entities: readonly EntityRow[]
  readonly relations: readonly Edge[]
}

export async function readExportContent(context: ReadContext): Promise<ExportContent> {
  return { entities: await everyEntity(context), relations: await everyRelation(context) }
}

/** The id that a former import from this tool has brought. */
export function formerId({ properties }: EntityRow, tool: string): string | undefined {
  const ref = properties['external_ref']
  return typeof ref === 'string' && ref.startsWith(`${tool}:`)
    ? ref.slice(tool.length + 1)
    : undefined
}

/** What an import finds the entity again by, see `OwnName`. */
export function toOwnName({ id, type, properties: { key } }: EntityRow) {
  return { id, ...(type === 'task' && typeof key === 'string' && { key }) }
}

/** The author that the tool it was imported from has named, or else the one here. */
export function authorOf({ origin, createdBy }: EntityRow): string | undefined {
  return origin?.author ?? createdBy ?? undefined
}

/** A criterion as an item of a list with boxes. It has one line there. */
export function toBox(criterion: string, remarks: Remarks): string {
  const lines = criterion.split('\n').map((line) => line.trim())
  const text = lines.filter((line) => line !== '').join(' ')
  if (text !== criterion) remarks.add('a criterion of several lines was put on one')
  return /^\[x\] /i.test(text) ? text : `[ ] ${text}`
}

/** Fields of a task that neither tool has. */
export const OMITTED = [
  'locks',
  'needs_verification',
  'verified_at',
  'verified_by',
  'completed_by',
  'prd',
] as const

/** Lists what a format has no place for, so that nothing is dropped silently. */
export function addOmissions(
  row: EntityRow,
  fields: readonly (keyof TaskProperties)[],
  { tool, remarks }: { readonly tool: string; readonly remarks: Remarks },
): void {
  const task = asTask(row)
  for (const field of fields) {
    const value = task[field]
    const isEmpty =
      value === undefined || value === false || (Array.isArray(value) && value.length === 0)
    if (!isEmpty) remarks.add(`field ${field} has no place in ${tool}`)
  }
}

/** Counts the relations that were not exported, by their type. */
export function addLostRelations(
  relations: readonly Edge[],
  isExported: (relation: Edge) => boolean,
  { tool, remarks }: { readonly tool: string; readonly remarks: Remarks },
): void {
  for (const relation of relations) {
    if (!isExported(relation)) remarks.add(`a relation ${relation.type} has no place in ${tool}`)
  }
}
