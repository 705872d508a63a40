import { ERROR_CODES, ProtocolError } from '../protocol/error.ts'
import type { Call } from './call/call.ts'
import { toErrorFrame, toResultFrame, withTextMirror } from './reply.ts'
import type { ServerRuntime } from './runtime.ts'
import type { RunningTask } from './task/running-task.ts'
import type { Awaitable } from './call-context.ts'
import { InputRequired, toInputRequiredResult } from './input/input-required.ts'
import { isLaterRound, openRound } from './input/round-channel.ts'
import { complete } from './methods/completion.ts'
import { discover, initialize, ping } from './methods/lifecycle.ts'
import { setLogLevel } from './methods/logging.ts'
import { methodNotFound } from './methods/method.ts'
import type { ConnectionPort, Method } from './methods/method.ts'
import { getPrompt, listPrompts } from './methods/prompts.ts'
import { listResources, listResourceTemplates, readResource } from './methods/resources.ts'
import { listen, subscribe, unsubscribe } from './methods/subscriptions.ts'
import { cancelTask, getTask, updateTask } from './methods/tasks.ts'
import { callTool, listTools } from './methods/tools.ts'
import { runInside } from './middleware.ts'

const METHODS: ReadonlyMap<string, Method> = new Map([
  ['completion/complete', complete],
  ['initialize', initialize],
  ['logging/setLevel', setLogLevel],
  ['ping', ping],
  ['prompts/get', getPrompt],
  ['prompts/list', listPrompts],
  ['resources/list', listResources],
  ['resources/read', readResource],
  ['resources/subscribe', subscribe],
  ['resources/templates/list', listResourceTemplates],
  ['resources/unsubscribe', unsubscribe],
  ['server/discover', discover],
  ['subscriptions/listen', listen],
  ['tasks/cancel', cancelTask],
  ['tasks/get', getTask],
  ['tasks/update', updateTask],
  ['tools/call', callTool],
  ['tools/list', listTools],
])

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

/** Runs the method of a call inside the application's middleware. */
function dispatch(
  runtime: ServerRuntime,
  call: Call,
  connection: ConnectionPort,
): Awaitable<object> {
  const method = METHODS.get(call.method)
  if (method === undefined || (method.era ?? call.era) !== call.era) {
    throw methodNotFound(call.method)
  }
  if (runtime.middlewares.length === 0) return run(method, runtime, call, connection)
  return runInside(runtime.middlewares, call, async () => run(method, runtime, call, connection))
}

/** Serialises a result for the client's era. */
function toResultText(runtime: ServerRuntime, call: Call, result: object): string {
  const isCacheable = METHODS.get(call.method)?.cacheable === true && !('resultType' in result)
  return runtime.results.of(result, call.era, isCacheable ? runtime.cacheHint : undefined)
}

function run(
  method: Method,
  runtime: ServerRuntime,
  call: Call,
  connection: ConnectionPort,
): Awaitable<object> {
  const mayAsk = method.asksClient === true && call.era === 'modern'
  if (mayAsk) return runRound(method, runtime, call, connection)
  return method.run(runtime, call, connection)
}

/** Runs a method that may need input: then the client gets the questions and sends the request again. */
async function runRound(
  method: Method,
  runtime: ServerRuntime,
  call: Call,
  connection: ConnectionPort,
): Promise<object> {
  if (isLaterRound(call.params)) call.resume(await openRound(runtime.states, call))
  try {
    return await method.run(runtime, call, connection)
  } catch (error) {
    if (!(error instanceof InputRequired)) throw error
    return await toInputRequiredResult(error, runtime.states, call)
  }
}

/** The error that is sent to the client: a `ProtocolError` as it is, any other error without its message. */
export function toPublicError(error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error
  return new ProtocolError(ERROR_CODES.internalError, 'internal error')
}
