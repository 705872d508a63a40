import * as z from 'zod'
import { type Change, change, dryRun } from '../../core/change.ts'
import type { Context } from '../../core/context.ts'
import { type Advance, Progress } from '../../core/progress.ts'
import { type Block, line, own } from '../../core/show.ts'
import type { EntityRow } from '../../entity/store.ts'
import {
  type ImportAction,
  type Imported,
  importTask,
  relateImported,
} from '../../task/import/import-task.ts'
import type { ImportedTask, ImportSource } from '../../task/import/imported-task.ts'
import { type Prd, prd } from '../../task/fields.ts'
import { readSource, withHashes } from '../../task/spec/prd-source.ts'
import { importKnowledge } from './knowledge.ts'

export const importCounts = z.object({
  path: z.string(),
  dry_run: z.boolean(),
  found: z.int(),
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  left_out: z.int(),
  remarks: z.array(z.string()).describe('Everything that could not be taken over as it was'),
})
export type ImportCounts = z.output<typeof importCounts>

interface Importing {
  /** As it is named in the event. */
  readonly name: string
  readonly path: string
  readonly source: ImportSource
  readonly isDryRun: boolean
}

/** Imports everything in one transaction. A dry run does the same and rolls it back. */
export async function runImport(
  context: Context,
  { name, path, source, isDryRun }: Importing,
): Promise<ImportCounts> {
  const { tasks, knowledge = [] } = source
  const documents = await readDocuments(context, tasks)
  const found = tasks.length + knowledge.length
  const advance = new Progress(context).phase('importing', 2 * found)
  const work = async (change: Change): Promise<ImportCounts> => {
    const remarks = [...source.remarks]
    const { imported, actions } = await importAll(context, change, {
      source,
      documents,
      remarks,
      advance,
    })
    await remarkDoubles(change, { source, imported, remarks })
    for (const [at, item] of [...tasks, ...knowledge].entries()) {
      await relateImported(change, item, { imported, remarks })
      advance(found + at + 1)
    }
    const counts = { found, ...actions }
    await change.announce('tasks.imported', name, {
      format: name,
      path,
      dry_run: isDryRun,
      ...counts,
    })
    return { path, dry_run: isDryRun, ...counts, remarks }
  }
  return await (isDryRun ? dryRun : change)(context, work)
}

interface Surroundings {
  readonly source: ImportSource
  readonly documents: ReadonlyMap<string, Prd>
  readonly remarks: string[]
  readonly advance: Advance
}

async function importAll(
  context: Context,
  change: Change,
  { source: { tasks, knowledge = [] }, documents, remarks, advance }: Surroundings,
) {
  const imported = new Map<string, Imported>()
  const actions: Record<ImportAction, number> = {
    created: 0,
    updated: 0,
    unchanged: 0,
    left_out: 0,
  }
  let done = 0
  const add = (ref: string, one: Imported): void => {
    imported.set(ref, one)
    actions[one.action] += 1
    advance((done += 1))
  }
  for (const task of tasks) {
    const arriving = { task, prd: documents.get(task.ref), remarks }
    add(task.ref, await importTask(context, change, arriving))
  }
  const known = await knownByRef(change, knowledge)
  for (const item of knowledge) {
    const arriving = { item, known: known.get(item.ref) ?? [], remarks }
    add(item.ref, await importKnowledge(context, change, arriving))
  }
  return { imported, actions }
}

/** Exports of one project to two tools have ids of their own each: only the titles tell that both are the same. */
async function remarkDoubles(
  change: Change,
  { source: { tasks, knowledge = [] }, imported, remarks }: Doubles,
): Promise<void> {
  const added = [...tasks, ...knowledge].filter(
    ({ ref, own }) => own !== undefined && imported.get(ref)?.action === 'created',
  )
  if (added.length === 0) return
  const tool = added[0]?.ref.replace(/:.*/s, ':') ?? ''
  const known = await change.entities.importedAs(added.map(({ title }) => title))
  const others = known.filter(
    ({ properties }) => !String(properties['external_ref']).startsWith(tool),
  )
  const titles = new Set(others.map(({ title }) => title))
  if (titles.size === 0) return
  const numbers = others.slice(0, MOST_NAMED).map(({ number }) => `#${number}`)
  const more = others.length > MOST_NAMED ? ' and others' : ''
  remarks.push(
    `${titles.size} titles were imported from another tool before, as ${numbers.join(', ')}${more}; if it is the same project, delete one of each`,
  )
}

const MOST_NAMED = 5

interface Doubles {
  readonly source: ImportSource
  readonly imported: ReadonlyMap<string, Imported>
  readonly remarks: string[]
}

async function knownByRef(
  change: Change,
  knowledge: NonNullable<ImportSource['knowledge']>,
): Promise<ReadonlyMap<string, EntityRow[]>> {
  const known = new Map<string, EntityRow[]>()
  if (knowledge.length === 0) return known
  for (const row of await change.entities.byExternalRefs(knowledge.map(({ ref }) => ref))) {
    const ref = String(row.properties['external_ref'])
    known.set(ref, [...(known.get(ref) ?? []), row])
  }
  return known
}

/** The parts of documents that tasks refer to, by the task; read before anything is locked. */
export async function readDocuments(
  context: Context,
  tasks: readonly ImportedTask[],
): Promise<ReadonlyMap<string, Prd>> {
  const texts = new Map<string, string | undefined>()
  const found = new Map<string, Prd>()
  for (const { ref, prd: given } of tasks) {
    context.signal.throwIfAborted()
    const { data } = prd().safeParse(given)
    if (data === undefined) continue
    const { source } = data
    if (!texts.has(source)) texts.set(source, (await readSource(context, source)).text)
    found.set(ref, withHashes(data, texts.get(source)))
  }
  return found
}

export function showImport(view: ImportCounts): readonly Block[] {
  const { found, path, created, updated, unchanged, left_out, remarks } = view
  const would = own(view.dry_run ? 'would be ' : '')
  return [
    line`${found} found in ${path}: ${created} ${would}created, ${updated} ${would}updated, ${unchanged} unchanged, ${left_out} left out`,
    ...remarks.map((text) => line`- ${text}`),
  ]
}
