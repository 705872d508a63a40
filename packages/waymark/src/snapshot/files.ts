import {
  ENTITY_FOLDERS,
  type SnapshotEntity,
  type SnapshotLink,
  type SnapshotRelation,
} from './entry.ts'
import { entityFile } from './entity-file.ts'
import { readmeFile } from './readme-file.ts'
import { activeTasksFile, completedTasksFile } from './task-files.ts'
import { toSlug, toUniqueSlugs } from '../support/text/slug.ts'

export interface SnapshotSource {
  readonly entities: readonly SnapshotEntity[]
  readonly relations: readonly SnapshotRelation[]
}

/**
 * Everything as Markdown, by path. The same entities give the same bytes: the only times in it are those of the
 * entities themselves.
 */
export function toSnapshotFiles({
  entities,
  relations,
}: SnapshotSource): ReadonlyMap<string, string> {
  const paths = pathsOf(entities)
  const links = linksOf(entities, relations)
  const files = new Map<string, string>()
  for (const entity of entities) {
    const path = paths.get(entity.id)
    if (entity.type === 'task' || path === undefined) continue
    files.set(path, entityFile(entity, { links: links.get(entity.id) ?? [], paths }))
  }
  const tasks = entities.filter(({ type }) => type === 'task')
  files.set('tasks/active.md', activeTasksFile(tasks))
  files.set('tasks/completed.md', completedTasksFile(tasks))
  files.set('README.md', readmeFile(entities, paths))
  return new Map([...files].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Decisions are found by their number, the others by their title; tasks share two files. */
function pathsOf(entities: readonly SnapshotEntity[]): ReadonlyMap<string, string> {
  const paths = new Map<string, string>()
  for (const [type, folder] of Object.entries(ENTITY_FOLDERS)) {
    const ofType = entities.filter((entity) => entity.type === type)
    if (type === 'decision') {
      for (const { id, number, title } of ofType) {
        paths.set(id, `${folder}/${String(number).padStart(3, '0')}-${toSlug(title)}.md`)
      }
    } else {
      for (const [slug, { id }] of toUniqueSlugs(ofType)) paths.set(id, `${folder}/${slug}.md`)
    }
  }
  for (const { id, type, status } of entities) {
    if (type !== 'task') continue
    paths.set(
      id,
      status === 'done' || status === 'cancelled' ? 'tasks/completed.md' : 'tasks/active.md',
    )
  }
  return paths
}

function linksOf(
  entities: readonly SnapshotEntity[],
  relations: readonly SnapshotRelation[],
): ReadonlyMap<string, SnapshotLink[]> {
  const byId = new Map(entities.map((entity) => [entity.id, entity]))
  const links = new Map<string, SnapshotLink[]>()
  const add = (at: string, link: SnapshotLink): void => {
    const known = links.get(at)
    if (known === undefined) links.set(at, [link])
    else known.push(link)
  }
  for (const { sourceId, type, targetId } of relations) {
    const source = byId.get(sourceId)
    const target = byId.get(targetId)
    if (source === undefined || target === undefined) continue
    add(sourceId, { type, direction: 'from', other: target })
    add(targetId, { type, direction: 'to', other: source })
  }
  for (const found of links.values()) found.sort(inOrder)
  return links
}

function inOrder(a: SnapshotLink, b: SnapshotLink): number {
  const [first, second] = [a, b].map(({ direction, type }) => `${direction} ${type}`)
  if (first === second) return a.other.number - b.other.number
  return (first ?? '') < (second ?? '') ? -1 : 1
}
