import * as z from 'zod'
import { isSameAnchor } from '../anchor.ts'
import { reachableRows } from './dependents.ts'
import type { Code } from '../write/open-code.ts'
import type { Scope } from '../region/scope.ts'

/** Something that several places in the code have to do together. */
export const concernView = z.object({
  description: z.string(),
  regions: z.array(z.string()).describe('Places as file:anchor'),
  nature: z.string().optional(),
  commit: z.string(),
})

export type Concern = z.output<typeof concernView>

export async function findConcerns(
  code: Code,
  { view, units }: Scope,
): Promise<readonly Concern[]> {
  const rows = await code.annotations.inFiles({
    refs: code.settings.readRefs,
    role: 'cross_cutting',
    paths: [...view.names],
  })
  const isMeant = ({ file, anchor }: { readonly file: string; readonly anchor?: string }) =>
    view.names.has(file) &&
    (units.length === 0 ||
      anchor === undefined ||
      units.some(({ name }) => isSameAnchor(anchor, name)))
  return (await reachableRows(code, rows)).flatMap(({ commit, record }) =>
    record.cross_cutting
      .filter(({ regions }) => regions.some(isMeant))
      .map(({ description, regions, nature }) => ({
        description,
        regions: regions.map(({ file, anchor }) =>
          anchor === undefined ? file : `${file}:${anchor}`,
        ),
        ...(nature !== undefined && { nature }),
        commit,
      })),
  )
}
