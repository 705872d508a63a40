import { projectStatus } from '../../project/operations.ts'
import { exportSpec } from '../../task/spec/operations.ts'
import { getTask } from '../../task/operations.ts'
import type { ResourceSpelling } from '../dialect.ts'
import { defineResource } from '../resource.ts'
import { toRepoStatus } from './agent-tools.ts'
import { toTask } from './task-tools.ts'

/** How each resource is answered, by its template: as the tools that tell the same. */
export function loadResources(): Readonly<Record<string, ResourceSpelling>> {
  return {
    'lodestar://spec': defineResource({
      operation: exportSpec,
      toInput: () => ({ merged: true }),
      toResult: ({ text }) => text,
    }),
    'lodestar://task/{taskId}': defineResource({
      operation: getTask,
      toInput: ({ taskId }) => ({ id: taskId }),
      toResult: toTask,
    }),
    'lodestar://status': defineResource({
      operation: projectStatus,
      toInput: () => ({}),
      toResult: toRepoStatus,
    }),
  }
}
