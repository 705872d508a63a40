import * as z from 'zod'
import { answeredBefore, type Change, change, dryRun } from '../../core/change.ts'
import type { Context } from '../../core/context.ts'
import { Failure } from '../../core/error.ts'
import { type Advance, Progress } from '../../core/progress.ts'
import { type Block, line, own } from '../../core/show.ts'
import type { EntityRow } from '../../entity/store.ts'
import {
  type ImportAction,
  findOthers,
  type Imported,
  importTask,
  type Related,
  relateImported,
} from '../../task/import/import-task.ts'
import type { ImportedTask, ImportSource } from '../../task/import/imported-task.ts'
import { type Prd, prd } from '../../task/fields.ts'
import { readSource, withHashes } from '../../task/spec/prd-source.ts'
import { isTimeUp } from '../../support/deadline.ts'
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

/** As many as one transaction takes without keeping other writers waiting for long. */
const PART_SIZE = 500

/**
 * Imports everything, a large source in several transactions. An import that is stopped between them can be repeated. A
 * dry run does the same in one transaction and rolls it back.
 */
export async function runImport(
  context: Context,
  { name, path, source, isDryRun }: Importing,
): Promise<ImportCounts> {
  const { tasks, knowledge = [] } = source
  const found = tasks.length + knowledge.length
  const size = isDryRun ? found : PART_SIZE
  const earlier = found > size ? await answeredBefore(context) : undefined
  if (earlier !== undefined) return earlier.output
  const documents = await readDocuments(context, tasks)
  const advance = new Progress(context).phase('importing', found)
  const importing = { source, documents, advance }
  // The answer belongs to the last part.
  const { repeatable: _, ...unanswered } = context
  let taken: Taken = { imported: new Map(), actions: NO_ACTIONS, remarks: source.remarks }
  let from = 0
  try {
    for (; from + size < found; from += size) {
      const part = { ...importing, from, to: from + size, before: taken }
      taken = await change(unanswered, (change) => importPart(context, change, part))
    }
    const work = async (change: Change): Promise<ImportCounts> => {
      const last = { ...importing, from, to: found, before: taken }
      const { imported, actions, remarks } = await importPart(context, change, last)
      const doubles = await findDoubles(change, { source, imported })
      const counts = { found, ...actions }
      const data = { format: name, path, dry_run: isDryRun, ...counts }
      if (found > 0) await change.announce('tasks.imported', name, data)
      return { path, dry_run: isDryRun, ...counts, remarks: [...remarks, ...doubles] }
    }
    return await (isDryRun ? dryRun : change)(context, work)
  } catch (error) {
    const rest = `${from} of ${found} are imported: import again for the rest`
    throw from === 0 ? error : withRest(error, rest, context.signal)
  }
}

function withRest(error: unknown, rest: string, signal: AbortSignal): unknown {
  if (isTimeUp(signal)) return new Failure('timeout', `the import took too long; ${rest}`)
  if (!(error instanceof Failure)) return error
  const { code, message, details } = error
  return new Failure(code, `${message}; ${rest}`, { details, cause: error })
}

/** What came of the items up to a point. */
interface Taken {
  readonly imported: ReadonlyMap<string, Imported>
  readonly actions: Readonly<Record<ImportAction, number>>
  readonly remarks: readonly string[]
}

const NO_ACTIONS: Taken['actions'] = { created: 0, updated: 0, unchanged: 0, left_out: 0 }

interface Part {
  readonly source: ImportSource
  readonly documents: ReadonlyMap<string, Prd>
  readonly advance: Advance
  readonly from: number
  readonly to: number
  readonly before: Taken
}

async function importPart(
  context: Context,
  change: Change,
  { source: { tasks, knowledge = [] }, documents, advance, from, to, before }: Part,
): Promise<Taken> {
  // Copies: a part that is rolled back may run again.
  const imported = new Map(before.imported)
  const actions = { ...before.actions }
  const remarks = [...before.remarks]
  let done = from
  const add = (ref: string, one: Imported): void => {
    imported.set(ref, one)
    actions[one.action] += 1
    advance((done += 1))
  }
  for (const task of tasks.slice(from, to)) {
    const arriving = { task, prd: documents.get(task.ref), remarks }
    add(task.ref, await importTask(context, change, arriving))
  }
  const [first, end] = [from, to].map((at) => Math.max(0, at - tasks.length))
  const some = knowledge.slice(first, end)
  const known = await knownByRef(change, some)
  for (const item of some) {
    const arriving = { item, known: known.get(item.ref) ?? [], remarks }
    add(item.ref, await importKnowledge(context, change, arriving))
  }
  const items = relatedIn([...tasks, ...knowledge], from, to)
  const others = await findOthers(change, items, imported)
  for (const item of items) await relateImported(change, item, { imported, others, remarks })
  return { imported, actions, remarks }
}

/**
 * The relations of which the later end is in this part. They are committed with that end: two that a repeated import
 * finds unchanged are not related again.
 */
function relatedIn(items: readonly Related[], from: number, to: number): readonly Related[] {
  const places = new Map(items.map(({ ref }, at) => [ref, at]))
  return items.slice(0, to).map(({ ref, key, relations }, at) => {
    const isDue = (target: string): boolean => {
      const later = Math.max(at, places.get(target) ?? 0)
      return later >= from && later < to
    }
    return { ref, key, relations: relations.filter((relation) => isDue(relation.ref)) }
  })
}

/** Exports of one project to two tools have ids of their own each: only the titles tell that both are the same. */
async function findDoubles(
  change: Change,
  { source: { tasks, knowledge = [] }, imported }: Doubles,
): Promise<readonly string[]> {
  const added = [...tasks, ...knowledge].filter(
    ({ ref, own }) => own !== undefined && imported.get(ref)?.action === 'created',
  )
  if (added.length === 0) return []
  const tool = added[0]?.ref.replace(/:.*/s, ':') ?? ''
  const known = await change.entities.importedAs(added.map(({ title }) => title))
  const others = known.filter(
    ({ properties }) => !String(properties['external_ref']).startsWith(tool),
  )
  const titles = new Set(others.map(({ title }) => title))
  if (titles.size === 0) return []
  const numbers = others.slice(0, MOST_NAMED).map(({ number }) => `#${number}`)
  const more = others.length > MOST_NAMED ? ' and others' : ''
  return [
    `${titles.size} titles were imported from another tool before, as ${numbers.join(', ')}${more}; if it is the same project, delete one of each`,
  ]
}

const MOST_NAMED = 5

interface Doubles {
  readonly source: ImportSource
  readonly imported: ReadonlyMap<string, Imported>
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
