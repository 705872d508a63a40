import type { EntityType } from '../../entity/entity.ts'

/**
 * Precedence of concurrent statuses, first wins. The more advanced status wins, so that finished work is not done
 * again.
 */
const STATUS_ORDER: Partial<Record<EntityType, readonly string[]>> = {
  task: ['done', 'cancelled', 'in_progress', 'blocked', 'todo'],
  decision: ['superseded', 'deprecated', 'accepted', 'proposed'],
  component: ['deprecated', 'active', 'planned'],
}

/** The one status that counts among statements that were made at the same time. */
export function resolveStatus(
  type: EntityType,
  statements: readonly unknown[],
): string | undefined {
  const order = STATUS_ORDER[type] ?? []
  return statements
    .filter((statement) => typeof statement === 'string')
    .toSorted((a, b) => rank(order, a) - rank(order, b) || (a < b ? -1 : 1))[0]
}

function rank(order: readonly string[], status: string): number {
  const at = order.indexOf(status)
  return at === -1 ? order.length : at
}
