import * as z from 'zod'
import { type Block, counted, joined, line, own } from '../../core/show.ts'
import type { EntityRow } from '../../entity/store.ts'
import { EXPORT_FORMATS } from '../names.ts'

/** Where an export goes. */
export interface ExportTarget {
  readonly path: string
  /** Replaces files that are there. */
  readonly isForced: boolean
  readonly isDryRun: boolean
}

/** What an export has written. */
export interface Exported {
  readonly exported: readonly EntityRow[]
  readonly files: number
  readonly remarks: readonly string[]
}

export const exportCounts = z.object({
  format: z.enum(EXPORT_FORMATS),
  path: z.string(),
  dry_run: z.boolean(),
  tasks: z.int(),
  decisions: z.int(),
  notes: z.int(),
  files: z.int(),
  remarks: z.array(z.string()).describe('Everything that the format has no place for'),
})
export type ExportCounts = z.output<typeof exportCounts>

export function countTypes(rows: readonly EntityRow[]) {
  const count = (wanted: string) => rows.filter(({ type }) => type === wanted).length
  return { tasks: count('task'), decisions: count('decision'), notes: count('note') }
}

export function showExport(view: ExportCounts): readonly Block[] {
  const counts = [
    counted(view.tasks, 'task'),
    counted(view.decisions, 'decision'),
    counted(view.notes, 'note'),
  ]
  const verb = own(view.dry_run ? 'would be written' : 'written')
  return [
    line`${verb} to ${view.path}: ${joined(counts)} in ${counted(view.files, 'file')}`,
    ...view.remarks.map((text) => line`- ${text}`),
  ]
}
