import type { DialectEvent, NamedSubject } from '../../dialects/dialect.ts'
import type { ReadStore } from '../../core/store/store.ts'
import { type EntityId, toEntityId } from '../../entity/entity-id.ts'

/** Events that change what tasks show of each other: their dependencies, and whether those hold them up. */
const CONCERNING_OTHERS: ReadonlySet<string> = new Set([
  'task.done',
  'task.verified',
  'task.cancelled',
  'task.reopened',
  'relation.created',
  'relation.deleted',
  'entity.deleted',
])

/** The event with the names of the entities at the other ends of its relations, for subscribers of one of them. */
export async function withConcerned(store: ReadStore, event: DialectEvent): Promise<DialectEvent> {
  const { type, subject, data } = event
  if (!CONCERNING_OTHERS.has(type)) return event
  const entity = toEntityId(subject)
  const ids = type.startsWith('relation.')
    ? [entity, toEntityId(String(data['target']))]
    : (await store.relations.of(entity, 'both')).flatMap((one) => [one.sourceId, one.targetId])
  const concerned = await Promise.all([...new Set([entity, ...ids])].map((id) => find(store, id)))
  return { ...event, concerned: concerned.flatMap((named) => named ?? []) }
}

async function find({ entities }: ReadStore, id: EntityId): Promise<NamedSubject | undefined> {
  const row = (await entities.byId(id)) ?? (await entities.deletedById(id))
  // A purged one has neither title nor key any more.
  if (row === undefined || row.title === '') return undefined
  return { subject: id, data: { number: row.number, key: row.properties['key'] } }
}
