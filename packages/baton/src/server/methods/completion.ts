import type { CompletionReference } from '../../protocol/server-features/completion.ts'
import { invalidParams } from '../../protocol/error.ts'
import { isJsonObject } from '../../protocol/json-rpc.ts'
import type { Call } from '../call/call.ts'
import type { ServerRuntime } from '../runtime.ts'
import { methodNotFound } from './method.ts'
import type { Method } from './method.ts'
import { isStringRecord } from './prompts.ts'

const MAX_VALUES = 100

/** `completion/complete`: suggests values for an argument of a prompt or resource template. */
export const complete: Method = {
  async run(runtime: ServerRuntime, call: Call): Promise<object> {
    if (runtime.handler.complete === undefined) throw methodNotFound(call.method)
    const { ref, argument, context = {} } = call.params
    if (!isJsonObject(argument)) throw invalidParams('argument must be an object')
    const { name, value } = argument
    if (typeof name !== 'string' || typeof value !== 'string') {
      throw invalidParams('argument must have a name and a value, both strings')
    }
    if (!isJsonObject(context)) throw invalidParams('context must be an object')
    const { arguments: resolved = {} } = context
    if (!isStringRecord(resolved)) throw invalidParams('context.arguments must hold strings')
    const request = { ref: readReference(ref), argument: { name, value }, resolved }
    const { values, total, hasMore } = await runtime.handler.complete(request, call.context)
    const cut = values.length > MAX_VALUES
    return {
      completion: {
        values: cut ? values.slice(0, MAX_VALUES) : values,
        total: total ?? (cut ? values.length : undefined),
        hasMore: hasMore ?? (cut ? true : undefined),
      },
    }
  },
}

function readReference(ref: unknown): CompletionReference {
  if (isJsonObject(ref)) {
    const { type, name, uri } = ref
    if (type === 'ref/prompt' && typeof name === 'string') return { type, name }
    if (type === 'ref/resource' && typeof uri === 'string') return { type, uri }
  }
  throw invalidParams('ref must name a prompt (ref/prompt) or a resource template (ref/resource)')
}
