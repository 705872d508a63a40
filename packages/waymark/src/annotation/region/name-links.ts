import type { ReadContext } from '../../core/context.ts'
import { toEntityId } from '../../entity/entity-id.ts'
import type { RegionView } from './region-view.ts'

/** Regions whose links have the number and the title of what they refer to, where that still exists. */
export async function nameLinks(
  { store }: ReadContext,
  regions: readonly RegionView[],
): Promise<RegionView[]> {
  const links = regions.flatMap((region) => region.links ?? [])
  const entities = await Promise.all(
    [...new Set(links.map(({ id }) => id))].map((id) => store.entities.byId(toEntityId(id))),
  )
  const byId = new Map(entities.flatMap((entity) => (entity ? [[String(entity.id), entity]] : [])))
  return regions.map((region) =>
    region.links === undefined
      ? region
      : {
          ...region,
          links: region.links.map((link) => {
            const entity = byId.get(link.id)
            if (entity === undefined) return link
            return { ...link, number: entity.number, title: entity.title }
          }),
        },
  )
}
