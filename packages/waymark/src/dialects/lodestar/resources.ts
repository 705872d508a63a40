import { isNamed } from '../is-named.ts'
import type { DialectEvent, DialectResources } from '../dialect.ts'

/** The resources. The code that reads them is loaded by the first read. */
export const RESOURCES: DialectResources = {
  listed: [
    {
      template: 'lodestar://spec',
      name: 'spec',
      description: 'The spec.yaml of the repository, or all tasks as one',
      mimeType: 'text/yaml',
      isTouchedBy: (event) => isTask(event) || isRelation(event),
    },
    {
      template: 'lodestar://task/{taskId}',
      name: 'task',
      description: 'One task as JSON',
      mimeType: 'application/json',
      needsConcerned: true,
      isTouchedBy: (event, { taskId = '' }) =>
        [...(isTask(event) ? [event] : []), ...(event.concerned ?? [])].some(
          (one) => one.data['key'] === taskId || isNamed(one, taskId),
        ) || isNameless(event),
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

/** What was deleted for good or repaired has no key any more, and subscribers by key must hear of it. */
function isNameless({ type, subject, concerned = [] }: DialectEvent): boolean {
  if (type === 'entity.purged' || type === 'entity.repaired') return true
  return type === 'entity.deleted' && concerned.every((one) => one.subject !== subject)
}

function isRelation({ type }: DialectEvent): boolean {
  return type.startsWith('relation.')
}

function isTask({ data }: DialectEvent): boolean {
  return data['type'] === 'task'
}
