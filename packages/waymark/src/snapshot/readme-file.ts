import { toDisplayId } from '../entity/reference.ts'
import type { SnapshotEntity } from './entry.ts'
import { GENERATED, inline, paragraphs, section } from './markdown.ts'

const RECENT = 5
const TYPES = [
  ['decision', 'Decisions'],
  ['task', 'Tasks'],
  ['note', 'Notes'],
  ['prompt', 'Prompts'],
  ['component', 'Components'],
  ['link', 'Links'],
] as const

/** Counts, what changed last, and where everything is. */
export function readmeFile(
  entities: readonly SnapshotEntity[],
  paths: ReadonlyMap<string, string>,
): string {
  const newest = entities.toSorted((a, b) => b.updatedAt - a.updatedAt || b.number - a.number)
  const ofType = (type: string) => entities.filter((entity) => entity.type === type)
  const item = (entity: SnapshotEntity): string => {
    const name = `${toDisplayId(entity)} ${inline(entity.title)}`
    const path = paths.get(entity.id)
    return path === undefined ? `- ${name}` : `- [${name}](${path})`
  }
  const index = (type: string) => ofType(type).map(item).join('\n')
  return paragraphs(
    GENERATED,
    '# Project knowledge',
    [
      '| Type | Count |',
      '|------|-------|',
      ...TYPES.map(([type, title]) => `| ${title} | ${ofType(type).length} |`),
    ].join('\n'),
    section('Recent activity', newest.slice(0, RECENT).map(item).join('\n')),
    section('Decisions', index('decision')),
    section('Components', index('component')),
    newest[0] === undefined
      ? undefined
      : `_Last change: ${new Date(newest[0].updatedAt).toISOString()}_`,
  )
}
