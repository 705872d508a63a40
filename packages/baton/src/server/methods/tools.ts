import { invalidParams, ProtocolError } from '../../protocol/error.ts'
import { isJsonObject } from '../../protocol/json-rpc.ts'
import type { Call, HeaderReader } from '../call/call.ts'
import { checkHeaderParameters, findHeaderParameters } from '../definition/header-parameter.ts'
import { InputRequired } from '../input/input-required.ts'
import { toErrorResult, toToolResult } from '../reply.ts'
import type { ServerRuntime } from '../runtime.ts'
import { createListMethod } from './list-method.ts'
import { methodNotFound } from './method.ts'
import type { Method } from './method.ts'

/** `tools/list`. */
export const listTools: Method = createListMethod({
  capability: 'tools',
  member: 'tools',
  keyOf: ({ name }) => name,
  list: (handler, context) => handler.listTools?.(context),
})

/** `tools/call`. */
export const callTool: Method = {
  asksClient: true,
  async run(runtime: ServerRuntime, call: Call): Promise<object> {
    if (runtime.handler.callTool === undefined) throw methodNotFound(call.method)
    const { name, arguments: args = {} } = call.params
    if (typeof name !== 'string') throw invalidParams('name must be a string')
    if (!isJsonObject(args)) throw invalidParams('arguments must be an object')
    if (call.header !== undefined) await checkHeaders(runtime, call, call.header)
    try {
      return toToolResult(await runtime.handler.callTool(name, args, call.context))
    } catch (error) {
      if (error instanceof ProtocolError || error instanceof InputRequired) throw error
      runtime.reportError(error, call)
      return toErrorResult(error)
    }
  },
}

/** Compares the headers that repeat arguments of the tool; an unknown tool is reported later. */
async function checkHeaders(
  runtime: ServerRuntime,
  { params, context }: Call,
  header: HeaderReader,
): Promise<void> {
  const tools = (await runtime.handler.listTools?.(context)) ?? []
  const { name, arguments: args = {} } = params
  checkHeaderParameters(findHeaderParameters(tools, name), args, header)
}
