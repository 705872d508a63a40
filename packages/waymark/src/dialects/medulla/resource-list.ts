import { isNamed } from '../is-named.ts'
import type { DialectEvent, DialectResource } from '../dialect.ts'

const JSON_TYPE = 'application/json'

/** Everything the spec lets be read, in its order. No schema library is loaded for listing it. */
export const RESOURCES: readonly DialectResource[] = [
  resource('schema', 'JSON Schema of all entity types', { isTouchedBy: () => false }),
  resource('stats', 'Entity counts, relation count and time of the last change', {
    isTouchedBy: (event) => isEntity(event) || isRelation(event),
  }),
  resource('entities', 'All entities', { isPaged: true, isTouchedBy: isEntity }),
  resource('entities/{type}', 'Entities by type', {
    isPaged: true,
    isTouchedBy: (event, { type }) => typeOf(event) === singular(type),
  }),
  resource('entity/{id}', 'Single entity by sequence number or UUID prefix', {
    isTouchedBy: (event, { id = '' }) => isEntity(event) && isNamed(event, id),
  }),
  resource('decisions', 'All decisions', { isPaged: true, isTouchedBy: isOf('decision') }),
  resource('decisions/active', 'Non-superseded decisions', {
    isPaged: true,
    isTouchedBy: isOf('decision'),
  }),
  resource('tasks', 'All tasks', { isPaged: true, isTouchedBy: isOf('task') }),
  resource('tasks/active', 'Incomplete tasks', { isPaged: true, isTouchedBy: isOf('task') }),
  resource('tasks/ready', 'Tasks with no unresolved blockers', {
    isPaged: true,
    isTouchedBy: touchesQueue,
  }),
  resource('tasks/blocked', 'Blocked tasks with their blockers', {
    isPaged: true,
    isTouchedBy: touchesQueue,
  }),
  resource('tasks/due/{date}', 'Tasks due on a date (YYYY-MM-DD)', {
    isPaged: true,
    isTouchedBy: isOf('task'),
  }),
  resource('prompts', 'Available prompts', { isPaged: true, isTouchedBy: isOf('prompt') }),
  resource('graph', 'Full knowledge graph: entities and relations', {
    isPaged: true,
    isTouchedBy: (event) => isEntity(event) || isRelation(event),
  }),
  resource('context/{topic}', 'Entities that bear on a topic, best first, with scores', {
    isPaged: true,
    isTouchedBy: isEntity,
  }),
]

function resource(
  path: string,
  description: string,
  rest: Pick<DialectResource, 'isPaged' | 'isTouchedBy'>,
): DialectResource {
  return { template: `medulla://${path}`, name: path, description, mimeType: JSON_TYPE, ...rest }
}

const TYPES: ReadonlySet<unknown> = new Set([
  'decision',
  'task',
  'note',
  'prompt',
  'component',
  'link',
])

/** The type of the entity that an event is about. A relation's event has a type too, but of another kind. */
function typeOf(event: DialectEvent): string | undefined {
  const { type } = event.data
  return !isRelation(event) && TYPES.has(type) ? String(type) : undefined
}

function isEntity(event: DialectEvent): boolean {
  return typeOf(event) !== undefined
}

function isOf(type: string): (event: DialectEvent) => boolean {
  return (event) => typeOf(event) === type
}

function isRelation({ type }: DialectEvent): boolean {
  return type.startsWith('relation.')
}

function touchesQueue(event: DialectEvent): boolean {
  return typeOf(event) === 'task' || isRelation(event)
}

function singular(type = ''): string {
  return type.toLowerCase().replace(/s$/, '')
}
