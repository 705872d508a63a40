import { isNamed } from '../is-named.ts'
import type { DialectEvent, DialectResources } from '../dialect.ts'

/** What can be read by address. What answers is loaded when it is first asked for. */
export const RESOURCES: DialectResources = {
  listed: [
    {
      template: 'lodestar://spec',
      name: 'spec',
      description: 'All tasks as a spec.yaml',
      mimeType: 'text/yaml',
      isTouchedBy: isTask,
    },
    {
      template: 'lodestar://task/{taskId}',
      name: 'task',
      description: 'One task as JSON',
      mimeType: 'application/json',
      isTouchedBy: (event, { taskId = '' }) =>
        isTask(event) && (event.data['key'] === taskId || isNamed(event, taskId)),
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

function isTask({ data }: DialectEvent): boolean {
  return data['type'] === 'task'
}
