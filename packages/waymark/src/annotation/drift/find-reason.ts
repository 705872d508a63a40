import { oneLine } from '../../core/input/schema.ts'
import { Failure } from '../../core/error.ts'
import { quote } from '../../support/text/visible-text.ts'
import type { FileView } from '../region/file-view.ts'
import { findRegions, type LocatedRegion } from '../region/find-regions.ts'
import { anchor, isInScope, path, resolveScope } from '../region/scope.ts'
import type { Code } from '../write/open-code.ts'

/** How a call names one reason. */
export const reasonInput = {
  path,
  anchor,
  record: oneLine({ max: 100 })
    .optional()
    .describe('Id of its annotation, where there are several'),
}

interface Asked {
  readonly path: string
  readonly anchor?: string | undefined
  readonly record?: string | undefined
}

interface FoundReason {
  readonly view: FileView
  readonly located: LocatedRegion
}

/** The newest reason at a place, or the one that is named by its annotation. */
export async function findReason(code: Code, asked: Asked): Promise<FoundReason> {
  const scope = await resolveScope(code, asked)
  const { view } = scope
  const regions = await findRegions(code, view)
  const { record } = asked
  const [located] = regions
    .filter((each) => isInScope(scope, each) || isNamed(each, asked))
    .filter((each) => record === undefined || each.record.id === record)
    .toSorted((one, other) => other.committedAt - one.committedAt)
  if (located !== undefined) return { view, located }
  const place = asked.anchor ?? view.path
  throw new Failure('not_found', `no reason is written down for ${quote(place, 200)}`, {
    details: { field: 'path', kind: 'annotation' },
  })
}

/** Code that is gone is in no part of the file any more, but still has a name. */
function isNamed({ region }: LocatedRegion, { anchor }: Asked): boolean {
  return anchor !== undefined && region.ast_anchor?.name === anchor
}
