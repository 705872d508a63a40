import { type Code, isIncluded } from '../write/open-code.ts'
import { findRegionsSoon, type LocatedRegion } from './find-regions.ts'
import { aroundScope, isInScope, type Scope } from './scope.ts'

/** The regions that an answer is made of, and what it must say about them. */
export async function findInScope(
  code: Code,
  scope: Scope,
): Promise<{ readonly found: readonly LocatedRegion[]; readonly notes: readonly string[] }> {
  if (!isIncluded(code.settings, scope.view.path)) return { found: [], notes: [] }
  const { regions, pending, isWhole } = await findRegionsSoon(code, scope.view, scope.ranges)
  return {
    found: regions.filter((each) => isInScope(scope, each)),
    notes: [...aroundScope(scope, regions), ...aboutRest(pending, isWhole)],
  }
}

function aboutRest(pending: number, isWhole: boolean): readonly string[] {
  if (pending > 0) return [`${pending} more annotations are still being traced; ask again.`]
  return isWhole ? [] : ['Earlier names of this code are still being traced; ask again.']
}
