import * as z from 'zod'
import { oneLine, oneOf } from '../core/input/schema.ts'
import { defineOperation } from '../core/operation.ts'
import { withField } from '../support/files/file-failure.ts'
import { exportBacklog } from './export/backlog-folder.ts'
import { exportBeads } from './export/beads-file.ts'
import { readExportContent } from './export/content.ts'
import { countTypes, exportCounts, showExport } from './export/exported.ts'
import { importCounts, runImport, showImport } from './import/run-import.ts'
import { readImportSource } from './import/sources.ts'
import { EXPORT_FORMATS, FORMAT_ALIASES, IMPORT_SOURCES, SOURCE_ALIASES } from './names.ts'
import { fromTypedPath } from '../core/project/typed-path.ts'

export const importFrom = defineOperation({
  name: 'exchange.import',
  summary: 'Import from another tool or from Markdown, or take in a backup file; safe to repeat',
  example: 'beads --dry-run',
  effect: 'write',
  input: z.object({
    format: oneOf(IMPORT_SOURCES, SOURCE_ALIASES).describe('Where it comes from'),
    path: oneLine({ max: 1024 }).optional().describe('File or folder, if not the usual one'),
    dry_run: z.boolean().default(false).describe('Only print what would be done'),
  }),
  output: importCounts.extend({ format: z.enum(IMPORT_SOURCES) }),
  positional: ['format', 'path'],
  async run(context, { format, path: given, dry_run: isDryRun }) {
    const { path, source } = await readImportSource(context, format, given)
    const counts = await runImport(context, { name: format, path, source, isDryRun })
    return { format, ...counts }
  },
  show: showImport,
})

/** Where the tools look for them. */
const EXPORT_PATHS = { beads: '.beads/issues.jsonl', backlog: 'backlog' } as const

export const exportTo = defineOperation({
  name: 'exchange.export',
  summary: 'Export to beads or Backlog.md, or write a backup file',
  example: 'beads issues.jsonl',
  effect: 'write',
  input: z.object({
    format: oneOf(EXPORT_FORMATS, FORMAT_ALIASES).describe('The tool that reads it'),
    path: oneLine({ max: 1024 }).optional().describe('File or folder, if not the usual one'),
    dry_run: z.boolean().default(false).describe('Only print what would be written'),
    force: z.boolean().default(false).describe('Replace files that an export has not written'),
  }),
  output: exportCounts,
  positional: ['format', 'path'],
  async run(context, { format, path: given, dry_run: isDryRun, force: isForced }) {
    const path = given === undefined ? EXPORT_PATHS[format] : await fromTypedPath(context, given)
    const content = await readExportContent(context)
    const target = { path, isForced, isDryRun }
    const { exported, files, remarks } = await withField('path', () =>
      format === 'beads'
        ? exportBeads(context, content, target)
        : exportBacklog(context, content, target),
    )
    return {
      format,
      path,
      dry_run: isDryRun,
      ...countTypes(exported),
      files,
      remarks: [...remarks],
    }
  },
  show: showExport,
})
