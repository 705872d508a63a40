import * as z from 'zod'
import type { Context } from '../../core/context.ts'
import type { ImportedTask } from './imported-task.ts'
import { type Prd, prd } from '../fields.ts'
import { defineOperation } from '../../core/operation.ts'
import { oneLine, oneOf } from '../../core/input/schema.ts'
import { type Change, change, dryRun } from '../../core/change.ts'
import { type ImportAction, type Imported, importTask, relateImported } from './import-task.ts'
import { IMPORT_FORMATS, readImportSource, USUAL_PATHS } from './import-source.ts'
import { readSource, withHashes } from '../spec/prd-source.ts'
import { type Block, line, own } from '../../core/show.ts'

const counts = z.object({
  format: z.enum(IMPORT_FORMATS),
  path: z.string(),
  dry_run: z.boolean(),
  found: z.int(),
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  left_out: z.int(),
  remarks: z.array(z.string()).describe('Everything that could not be taken over as it was'),
})

export const importTasks = defineOperation({
  name: 'task.import',
  summary: 'Take over the tasks of Beads, Task Master, Backlog.md or Lodestar; safe to repeat',
  example: 'beads --dry-run',
  effect: 'write',
  input: z.object({
    format: oneOf(IMPORT_FORMATS).describe('The tool they come from'),
    path: oneLine({ max: 1024 }).optional().describe('File or folder, if not the usual one'),
    dry_run: z.boolean().default(false).describe('Only say what would be done'),
  }),
  output: counts,
  positional: ['format', 'path'],
  async run(context, { format, path = USUAL_PATHS[format], dry_run }) {
    const source = await readImportSource(context, format, path)
    const documents = await readDocuments(context, source.tasks)
    const work = async (change: Change): Promise<z.output<typeof counts>> => {
      const remarks = [...source.remarks]
      const actions: Record<ImportAction, number> = {
        created: 0,
        updated: 0,
        unchanged: 0,
        left_out: 0,
      }
      const tasks = new Map<string, Imported>()
      for (const task of source.tasks) {
        const arriving = { task, prd: documents.get(task.ref), remarks }
        const imported = await importTask(context, change, arriving)
        actions[imported.action] += 1
        tasks.set(task.ref, imported)
      }
      for (const task of source.tasks) await relateImported(change, task, tasks, remarks)
      const result = { format, path, dry_run, found: source.tasks.length, ...actions, remarks }
      const { remarks: _, ...data } = result
      await change.announce('tasks.imported', format, data)
      return result
    }
    return await (dry_run ? dryRun : change)(context, work)
  },
  show: showImport,
})

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

function showImport(view: z.output<typeof counts>): readonly Block[] {
  const { found, path, created, updated, unchanged, left_out, remarks } = view
  const would = own(view.dry_run ? 'would be ' : '')
  return [
    line`${found} found in ${path}: ${created} ${would}created, ${updated} ${would}updated, ${unchanged} unchanged, ${left_out} left out`,
    ...remarks.map((text) => line`- ${text}`),
  ]
}
