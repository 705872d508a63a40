import * as z from 'zod'
import { parseRelationText } from '../relation/relation.ts'
import type { EntityReader, EntityRow } from '../entity/store.ts'
import type { Change } from '../core/change.ts'
import { findEntity } from '../entity/find-entity.ts'

const DEFAULT_TYPE = 'references'

export const linkText = z.string().trim().min(1).max(200).describe('id, or type:id as documents:12')

export interface FoundLink {
  readonly type: string
  readonly entity: EntityRow
}

export async function findLinks(
  entities: EntityReader,
  texts: readonly string[],
): Promise<readonly FoundLink[]> {
  const links: FoundLink[] = []
  for (const text of texts) links.push(await findLink(entities, text, 'links'))
  return links
}

export async function findLink(
  entities: EntityReader,
  text: string,
  field: string,
): Promise<FoundLink> {
  const { type, target } = text.includes(':')
    ? parseRelationText(text, field)
    : { type: DEFAULT_TYPE, target: text }
  return { type, entity: await findEntity(entities, target, field) }
}

export async function addLinks(
  change: Change,
  artifactId: string,
  links: readonly FoundLink[],
): Promise<void> {
  for (const { type, entity } of links) {
    await change.artifacts.link({ artifactId, type, entityId: entity.id }, change.stamp.at)
  }
}
