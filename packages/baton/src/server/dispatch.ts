import { ERROR_CODES, ProtocolError } from '../protocol/error.ts'
import type { Call } from './call/call.ts'
import { complete } from './methods/completion.ts'
import { discover, initialize, ping } from './methods/lifecycle.ts'
import { setLogLevel } from './methods/logging.ts'
import { methodNotFound } from './methods/method.ts'
import type { ConnectionPort, Method } from './methods/method.ts'
import { getPrompt, listPrompts } from './methods/prompts.ts'
import { listResources, listResourceTemplates, readResource } from './methods/resources.ts'
import { listen, subscribe, unsubscribe } from './methods/subscriptions.ts'
import { callTool, listTools } from './methods/tools.ts'
import type { ServerRuntime } from './runtime.ts'

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
  ['tools/call', callTool],
  ['tools/list', listTools],
])

/** Runs the method that a call names and returns the result as text for the client's era. */
export async function dispatch(
  runtime: ServerRuntime,
  call: Call,
  connection: ConnectionPort,
): Promise<string> {
  const method = METHODS.get(call.method)
  if (method === undefined || (method.era ?? call.era) !== call.era) {
    throw methodNotFound(call.method)
  }
  const result = await method.run(runtime, call, connection)
  return runtime.results.of(result, call.era, method.cacheable ? runtime.cacheHint : undefined)
}

/** The error that a client may see: its own if the handler meant it so, nothing but a number otherwise. */
export function toPublicError(error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error
  return new ProtocolError(ERROR_CODES.internalError, 'internal error')
}
