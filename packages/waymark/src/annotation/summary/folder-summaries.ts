import * as z from 'zod'
import type { AnnotationRow } from '../store.ts'
import { filled } from '../region/region-view.ts'
import type { Code } from '../write/open-code.ts'
import { changedFiles } from './changed-files.ts'
import { commitSummary } from './commit-summaries.ts'

const MOST_FILES = 20

/** The summary of a commit that changed files in a folder. */
export const folderSummary = commitSummary.omit({ state: true }).extend({
  state: commitSummary.shape.state.optional(),
  files: z.array(z.string()).optional().describe('Files of the folder that the commit changed'),
})
export type FolderSummary = z.output<typeof folderSummary>

/** The summaries of all annotated commits that changed something in the folder, newest first. */
export async function summariesInFolder(
  code: Code,
  prefix: string,
): Promise<readonly FolderSummary[]> {
  const { repository, head, settings, annotations } = code
  if (head === undefined) return []
  const annotated = await annotations.commits(settings.readRefs)
  const reach = await repository.reachable.from(head.id, annotated)
  const here = annotated.filter((commit) => reach.get(commit) === 'here')
  const files = await changedFiles(repository, here, prefix)
  const rows = await annotations.ofCommits(settings.readRefs, [...files.keys()])
  const unique = new Map(rows.map((row) => [row.record.id, row]))
  return [...unique.values()]
    .filter(({ record }) => record.regions.every(({ intent }) => intent !== record.summary))
    .toSorted((a, b) => (a.record.timestamp < b.record.timestamp ? 1 : -1))
    .map((row) => toFolderSummary(row, files.get(row.commit) ?? []))
}

function toFolderSummary(
  { commit, record }: AnnotationRow,
  files: readonly string[],
): FolderSummary {
  return {
    text: record.summary,
    commit,
    timestamp: record.timestamp,
    ...filled('by', record.author),
    files: files.slice(0, MOST_FILES),
  }
}
