import { ERROR_CODES, invalidParams, ProtocolError } from '../../protocol/error.ts'
import type { Call } from '../call/call.ts'
import type { ServerRuntime } from '../runtime.ts'
import { createListMethod } from './list-method.ts'
import { methodNotFound } from './method.ts'
import type { Method } from './method.ts'

/** `resources/list`. */
export const listResources: Method = createListMethod({
  capability: 'resources',
  member: 'resources',
  keyOf: ({ uri }) => uri,
  list: (handler, context) => handler.listResources?.(context),
})

/** `resources/templates/list`. */
export const listResourceTemplates: Method = createListMethod({
  capability: 'resources',
  member: 'resourceTemplates',
  keyOf: ({ uriTemplate }) => uriTemplate,
  list: (handler, context) => handler.listResourceTemplates?.(context),
})

/** `resources/read`. */
export const readResource: Method = {
  cacheable: true,
  asksClient: true,
  async run(runtime: ServerRuntime, call: Call): Promise<object> {
    if (runtime.handler.readResource === undefined) throw methodNotFound(call.method)
    try {
      return await runtime.handler.readResource(readUri(call), call.context)
    } catch (error) {
      throw call.era === 'modern' ? toModernError(error) : error
    }
  },
}

/** The `uri` parameter of a call. */
export function readUri(call: Call): string {
  const { uri } = call.params
  if (typeof uri !== 'string') throw invalidParams('uri must be a string')
  return uri
}

// The modern revision has no separate code for a missing resource.
function toModernError(error: unknown): unknown {
  if (!(error instanceof ProtocolError) || error.code !== ERROR_CODES.resourceNotFound) return error
  return invalidParams(error.message, error.data)
}
