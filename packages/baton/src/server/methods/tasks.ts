import { invalidParams } from '../../protocol/error.ts'
import { TASKS_EXTENSION } from '../../protocol/task.ts'
import type { Call } from '../call/call.ts'
import { requireTasks } from '../input/require-capability.ts'
import type { ServerRuntime } from '../runtime.ts'
import type { TaskRunner } from '../task/task-runner.ts'
import { methodNotFound } from './method.ts'
import type { Method } from './method.ts'

/** `tasks/get`: the status of a task, with its result if it has one. */
export const getTask: Method = {
  era: 'modern',
  run(runtime: ServerRuntime, call: Call): Promise<object> {
    const { tasks, taskId } = findTask(runtime, call)
    return tasks.get(taskId, call.owner)
  },
}

/** `tasks/update`: responses to the input requests of a task. */
export const updateTask: Method = {
  era: 'modern',
  async run(runtime: ServerRuntime, call: Call): Promise<object> {
    const { tasks, taskId } = findTask(runtime, call)
    await tasks.update(taskId, call.owner, call.params['inputResponses'])
    return {}
  },
}

/** `tasks/cancel`. */
export const cancelTask: Method = {
  era: 'modern',
  async run(runtime: ServerRuntime, call: Call): Promise<object> {
    const { tasks, taskId } = findTask(runtime, call)
    await tasks.cancel(taskId, call.owner)
    return {}
  },
}

function findTask(
  runtime: ServerRuntime,
  call: Call,
): { readonly tasks: TaskRunner; readonly taskId: string } {
  const { tasks } = runtime
  if (tasks === undefined) throw methodNotFound(call.method)
  requireTasks(call.envelope.clientCapabilities.extensions?.[TASKS_EXTENSION])
  const { taskId } = call.params
  if (typeof taskId !== 'string') throw invalidParams('taskId must be a string')
  return { tasks, taskId }
}
