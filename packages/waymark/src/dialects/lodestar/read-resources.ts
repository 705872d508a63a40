import type * as z from 'zod'
import type { Operation } from '../../core/operation.ts'
import { projectStatus } from '../../project/operations.ts'
import { exportSpec } from '../../task/spec/operations.ts'
import { getTask } from '../../task/operations.ts'
import type { ResourceSpelling, Variables } from '../dialect.ts'
import { toRepoStatus } from './agent-tools.ts'
import { toTask } from './task-tools.ts'

/** How each resource is answered, by its template: as the tools that tell the same. */
export function loadResources(): Readonly<Record<string, ResourceSpelling>> {
  return {
    'lodestar://spec': spell(
      exportSpec,
      () => ({}),
      ({ text }) => text,
    ),
    'lodestar://task/{taskId}': spell(getTask, ({ taskId }) => ({ id: taskId }), toTask),
    'lodestar://status': spell(projectStatus, () => ({}), toRepoStatus),
  }
}

function spell<Input extends z.ZodObject, Output extends z.ZodType>(
  operation: Operation<Input, Output>,
  toInput: (variables: Variables) => unknown,
  toResult: (output: z.output<Output>) => unknown,
): ResourceSpelling {
  return { operation, toInput, toResult: (output) => toResult(output as z.output<Output>) }
}
