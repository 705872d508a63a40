import type { SearchDocument } from '../search/text/document.ts'
import type { AnnotationRecord, Region } from './record.ts'
import type { CommitId } from '../git/history/commit-id.ts'

/** An annotation in the words that it is found by. */
export function toAnnotationDocument(record: AnnotationRecord, commit: CommitId): SearchDocument {
  const at = Date.parse(record.timestamp)
  const created = Number.isNaN(at) ? 0 : at
  return {
    kind: 'annotation',
    ref: record.id,
    type: 'annotation',
    status: null,
    title: record.summary,
    body: [...record.regions.map(textOf), ...record.cross_cutting.map((one) => one.description)]
      .concat(`commit ${commit.slice(0, 12)}`)
      .join('\n\n'),
    tags: [...new Set(record.regions.flatMap(({ tags }) => tags))],
    author: record.author ?? null,
    createdAt: created,
    updatedAt: created,
  }
}

function textOf(region: Region): string {
  const place = [region.file, region.ast_anchor?.name].filter((part) => part !== undefined)
  const lines = [
    place.join(' '),
    region.intent,
    region.reasoning,
    ...region.constraints.map(({ text }) => text),
    region.risk_notes,
    ...region.semantic_dependencies.map(
      ({ file, anchor, nature }) => `${file} ${anchor} ${nature}`,
    ),
  ]
  return lines.filter((line) => line !== undefined).join('\n')
}
