import { invalidParams } from '../../protocol/error.ts'
import { isJsonObject } from '../../protocol/json-rpc.ts'
import type { Call } from '../call/call.ts'
import type { ServerRuntime } from '../runtime.ts'
import { createListMethod } from './list-method.ts'
import { methodNotFound } from './method.ts'
import type { Method } from './method.ts'

/** `prompts/list`. */
export const listPrompts: Method = createListMethod({
  capability: 'prompts',
  member: 'prompts',
  keyOf: ({ name }) => name,
  list: (handler, context) => handler.listPrompts?.(context),
})

/** `prompts/get`. */
export const getPrompt: Method = {
  asksClient: true,
  async run(runtime: ServerRuntime, call: Call): Promise<object> {
    if (runtime.handler.getPrompt === undefined) throw methodNotFound(call.method)
    const { name, arguments: args = {} } = call.params
    if (typeof name !== 'string') throw invalidParams('name must be a string')
    if (!isStringRecord(args)) throw invalidParams('arguments must be an object of strings')
    return await runtime.handler.getPrompt(name, args, call.context)
  },
}

/** Whether a value is an object whose members are all strings. */
export function isStringRecord(value: unknown): value is Record<string, string> {
  return isJsonObject(value) && Object.values(value).every((member) => typeof member === 'string')
}
