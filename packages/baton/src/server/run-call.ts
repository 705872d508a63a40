import { ProtocolError } from '../protocol/error.ts'
import type { Call } from './call/call.ts'
import { dispatch, toPublicError, toResultText } from './dispatch.ts'
import type { ConnectionPort } from './methods/method.ts'
import { toErrorFrame, toResultFrame } from './reply/frame-text.ts'
import { withTextMirror } from './reply/result-text.ts'
import type { ServerRuntime } from './runtime.ts'
import type { RunningTask } from './task/running-task.ts'

/** Runs a call: its result or error is sent to the client, or stored in the task that the call became. */
export async function runCall(
  runtime: ServerRuntime,
  call: Call,
  connection: ConnectionPort,
): Promise<void> {
  try {
    const result = runtime.telemetry.isActive
      ? await runtime.telemetry.observe(call, async () => dispatch(runtime, call, connection))
      : await dispatch(runtime, call, connection)
    if (call.task !== undefined) await call.task.complete(withTextMirror(result))
    else call.answer(toResultFrame(call.requestId, toResultText(runtime, call, result)))
  } catch (error) {
    const hidden = error instanceof ProtocolError ? error.cause : error
    if (hidden !== undefined) runtime.reportError(hidden, call)
    await fail(runtime, call, toPublicError(error))
  }
}

/** Answers a call with a new task, as which its handler continues. */
export async function answerWithTask(
  runtime: ServerRuntime,
  call: Call,
  ticket: string | undefined,
): Promise<RunningTask> {
  if (runtime.tasks === undefined) throw new Error('this server has no tasks')
  if (call.method !== 'tools/call') throw new Error('only a tool call can become a task')
  call.signal.throwIfAborted()
  const stop = (reason: Error): void => call.abort(reason)
  const { running, task } = await runtime.tasks.start(call.owner, { stop, ticket })
  const result = toResultText(runtime, call, { resultType: 'task', ...task })
  call.answer(toResultFrame(call.requestId, result))
  return running
}

async function fail(runtime: ServerRuntime, call: Call, error: ProtocolError): Promise<void> {
  if (call.answer(toErrorFrame(call.requestId, error)) || call.task === undefined) return
  try {
    await call.task.fail(error)
  } catch (failure) {
    // The store failed for the result and for the error, so only the application can be told.
    runtime.reportError(failure, call)
  }
}
