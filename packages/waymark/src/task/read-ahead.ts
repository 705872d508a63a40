import { OWNER_ID } from '../agent/agent.ts'
import type { Change } from '../core/change.ts'
import type { EntityId } from '../entity/entity-id.ts'

type Source = Pick<
  Change,
  'agents' | 'entities' | 'leases' | 'messages' | 'prefetch' | 'search' | 'tasks'
>

/** What changes of leases read for any task. */
export function readsOfLeases({
  agents,
  leases,
}: Pick<Source, 'agents' | 'leases'>): Promise<unknown>[] {
  return [agents.byId(OWNER_ID), leases.ownClone(), leases.shared.clones(), leases.shared.state()]
}

/** What writing a task reads before its first write. */
export function readsOfWrite(change: Source, id: EntityId): Promise<unknown>[] {
  return [
    change.entities.byId(id),
    change.leases.of(id),
    change.tasks.blockedBy(id),
    ...change.tasks.readsOfIndex(id),
    change.search.find(id),
  ]
}

/** What closing a task reads before its first write. */
export function readsOfClosing(change: Source & Pick<Change, 'stamp'>, id: EntityId) {
  const now = change.stamp.at
  return [
    ...readsOfWrite(change, id),
    change.leases.expired(now),
    change.leases.shared.foreign(now),
    change.tasks.blockersOf(id),
    change.tasks.related(id, 'subtask_of', 'to'),
  ]
}

/** What the view of a task that was written reads. */
export function readsOfView(change: Source, id: EntityId): Promise<unknown>[] {
  return [
    change.tasks.neighbours(id),
    change.tasks.dependenciesOf([id]),
    change.leases.of(id),
    change.leases.ofAll([id]),
  ]
}
