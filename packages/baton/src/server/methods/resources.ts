import { ERROR_CODES, invalidParams, ProtocolError } from '../../protocol/error.ts'
import type { Resource, ResourceTemplate } from '../../protocol/resource.ts'
import type { Call } from '../call/call.ts'
import type { ListShape } from '../reply/list-pages.ts'
import type { ServerRuntime } from '../runtime.ts'
import { methodNotFound } from './method.ts'
import type { Method } from './method.ts'

const RESOURCES: ListShape<Resource> = { member: 'resources', keyOf: (resource) => resource.uri }
const TEMPLATES: ListShape<ResourceTemplate> = {
  member: 'resourceTemplates',
  keyOf: (template) => template.uriTemplate,
}
const NONE: readonly never[] = []

/** `resources/list`. */
export const listResources: Method = {
  cacheable: true,
  async run(runtime: ServerRuntime, call: Call): Promise<object> {
    requireResources(runtime, call)
    const resources = (await runtime.handler.listResources?.(call.context)) ?? NONE
    return runtime.pages.page(resources, call.params['cursor'], RESOURCES)
  },
}

/** `resources/templates/list`. */
export const listResourceTemplates: Method = {
  cacheable: true,
  async run(runtime: ServerRuntime, call: Call): Promise<object> {
    requireResources(runtime, call)
    const templates = (await runtime.handler.listResourceTemplates?.(call.context)) ?? NONE
    return runtime.pages.page(templates, call.params['cursor'], TEMPLATES)
  },
}

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

/** Refuses a call on a server that has no resources at all. */
export function requireResources(runtime: ServerRuntime, call: Call): void {
  if (runtime.capabilities().resources === undefined) throw methodNotFound(call.method)
}

// The modern revision gave up the code of its own for a missing resource.
function toModernError(error: unknown): unknown {
  if (!(error instanceof ProtocolError) || error.code !== ERROR_CODES.resourceNotFound) return error
  return invalidParams(error.message, error.data)
}
