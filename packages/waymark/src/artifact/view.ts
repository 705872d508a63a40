import * as z from 'zod'
import type { ArtifactReader, ArtifactRow } from './store.ts'
import type { EntityReader } from '../entity/store.ts'
import { entityLabel, time, toEntityLabel, toTime } from '../entity/view.ts'

/** An artifact as every surface shows it. */
export const artifactView = z.object({
  id: z.string(),
  hash: z.string().describe('SHA-256 of the content'),
  uri: z.string().describe('Address under which the content can be read'),
  size: z.int().describe('Bytes'),
  mime: z.string().describe('Type, by what the content is'),
  name: z.string().optional(),
  creator: z.string().optional(),
  tags: z.array(z.string()),
  parent: z.string().optional().describe('Id of the artifact it was made from'),
  variation_set: z.string().optional(),
  variation_index: z.int().optional(),
  created_at: time,
  removed: z.literal(true).optional(),
})
export type ArtifactView = z.output<typeof artifactView>

const linkView = z.object({ type: z.string(), entity: entityLabel })

export const linkedArtifactView = artifactView.extend({ links: z.array(linkView) })
export type LinkedArtifactView = z.output<typeof linkedArtifactView>

export function toArtifactView(row: ArtifactRow): ArtifactView {
  const { id, hash, size, mime, name, creator, tags } = row
  return {
    id,
    hash,
    uri: `cas://${hash}`,
    size,
    mime,
    ...(name !== null && { name }),
    ...(creator !== null && { creator }),
    tags: [...tags],
    ...(row.parentId !== null && { parent: row.parentId }),
    ...(row.variationSet !== null && { variation_set: row.variationSet }),
    ...(row.variationIndex !== null && { variation_index: row.variationIndex }),
    created_at: toTime(row.createdAt),
    ...(row.removedAt !== null && { removed: true as const }),
  }
}

interface Readers {
  readonly artifacts: ArtifactReader
  readonly entities: EntityReader
}

export async function toLinkedView(
  { artifacts, entities }: Readers,
  row: ArtifactRow,
): Promise<LinkedArtifactView> {
  const links: z.output<typeof linkView>[] = []
  for (const { type, entityId } of await artifacts.linksOf(row.id)) {
    const entity = await entities.byId(entityId)
    if (entity !== undefined) links.push({ type, entity: toEntityLabel(entity) })
  }
  return { ...toArtifactView(row), links }
}
