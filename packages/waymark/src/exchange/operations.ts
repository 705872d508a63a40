import * as z from 'zod'
import { oneLine, oneOf } from '../core/input/schema.ts'
import { defineOperation } from '../core/operation.ts'
import { importCounts, runImport, showImport } from './import/run-import.ts'
import { readImportSource } from './import/sources.ts'
import { IMPORT_SOURCES, SOURCE_ALIASES } from './names.ts'

export const importFrom = defineOperation({
  name: 'exchange.import',
  summary: 'Import from another tool or from Markdown, or take in a backup file; safe to repeat',
  example: 'beads --dry-run',
  effect: 'write',
  input: z.object({
    source: oneOf(IMPORT_SOURCES, SOURCE_ALIASES).describe('Where it comes from'),
    path: oneLine({ max: 1024 }).optional().describe('File or folder, if not the usual one'),
    dry_run: z.boolean().default(false).describe('Only say what would be done'),
  }),
  output: importCounts.extend({ source: z.enum(IMPORT_SOURCES) }),
  positional: ['source', 'path'],
  async run(context, { source: name, path: given, dry_run: isDryRun }) {
    const { path, source } = await readImportSource(context, name, given)
    const counts = await runImport(context, { name, path, source, isDryRun })
    return { source: name, ...counts }
  },
  show: showImport,
})
