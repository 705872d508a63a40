import { isNamed } from '../is-named.ts'
import type { DialectEvent, DialectResources } from '../dialect.ts'

/** The resources. The code that reads them is loaded by the first read. */
export const RESOURCES: DialectResources = {
  listed: [
    {
      template: 'lodestar://spec',
      name: 'spec',
      description: 'All tasks as a spec.yaml',
      mimeType: 'text/yaml',
      isTouchedBy: (event) => isTask(event) || isRelation(event),
    },
    {
      template: 'lodestar://task/{taskId}',
      name: 'task',
      description: 'One task as JSON',
      mimeType: 'application/json',
      isTouchedBy: (event, { taskId = '' }) =>
        isRelation(event) ||
        (isTask(event) &&
          (event.data['key'] === taskId || isNamed(event, taskId) || concernsOthers(event))),
    },
    {
      template: 'lodestar://status',
      name: 'status',
      description: 'Summary of the repository as JSON',
      mimeType: 'application/json',
      isTouchedBy: () => true,
    },
  ],
  load: async () => (await import('./read-resources.ts')).loadResources(),
}

/**
 * Events that change what other tasks show of this one (whether it blocks them), and events without the task's key,
 * which subscribers by key must get as well.
 */
const CONCERNING_OTHERS: ReadonlySet<string> = new Set([
  'task.done',
  'task.verified',
  'task.cancelled',
  'task.reopened',
  'entity.deleted',
  'entity.purged',
  'entity.repaired',
])

function concernsOthers({ type }: DialectEvent): boolean {
  return CONCERNING_OTHERS.has(type)
}

/** Dependencies are shown at both their ends, and the event says of neither by what name it is watched. */
function isRelation({ type }: DialectEvent): boolean {
  return type.startsWith('relation.')
}

function isTask({ data }: DialectEvent): boolean {
  return data['type'] === 'task'
}
