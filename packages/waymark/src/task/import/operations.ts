import * as z from 'zod'
import { defineOperation } from '../../core/operation.ts'
import { oneLine, oneOf } from '../../core/input/schema.ts'
import { importCounts, runImport, showImport } from '../../exchange/import/run-import.ts'
import { readImportSource } from '../../exchange/import/sources.ts'
import { SOURCE_ALIASES, TASK_SOURCES } from '../../exchange/names.ts'

const { bd, taskmaster, 'backlog.md': backlog } = SOURCE_ALIASES

export const importTasks = defineOperation({
  name: 'task.import',
  summary: 'Import the tasks of Beads, Task Master, Backlog.md or Lodestar; safe to repeat',
  example: 'beads --dry-run',
  effect: 'write',
  input: z.object({
    format: oneOf(TASK_SOURCES, { bd, taskmaster, 'backlog.md': backlog }).describe(
      'The tool they come from',
    ),
    path: oneLine({ max: 1024 }).optional().describe('File or folder, if not the usual one'),
    dry_run: z.boolean().default(false).describe('Only print what would be done'),
  }),
  output: importCounts.extend({ format: z.enum(TASK_SOURCES) }),
  positional: ['format', 'path'],
  async run(context, { format, path: given, dry_run: isDryRun }) {
    const { path, source } = await readImportSource(context, format, given)
    // Who may write tasks may not write decisions and notes.
    const { knowledge = [], ...tasks } = source
    const others =
      knowledge.length === 0
        ? []
        : [`${knowledge.length} decisions and documents were left out: waymark import ${format}`]
    const remarks = [...tasks.remarks, ...others]
    const counts = await runImport(context, {
      name: format,
      path,
      source: { ...tasks, remarks },
      isDryRun,
    })
    return { format, ...counts }
  },
  show: showImport,
})
