import type { Problem } from '../../internal/json-schema/check.ts'
import { compileJsonSchema } from '../../internal/json-schema/compile.ts'
import type { InputRequest } from '../../protocol/client-features/input.ts'
import { isJsonObject } from '../../protocol/json-rpc.ts'
import type { JsonObject } from '../../protocol/json-rpc.ts'

const ACTIONS: readonly unknown[] = ['accept', 'decline', 'cancel']

/** Validates a client's response, so that handlers can trust its type; undefined if it is valid. */
export function findResponseProblem(request: InputRequest, response: unknown): string | undefined {
  return isJsonObject(response) ? findProblem(request, response) : 'is not an object'
}

function findProblem(request: InputRequest, response: JsonObject): string | undefined {
  switch (request.method) {
    case 'elicitation/create': {
      const { action, content } = response
      if (!ACTIONS.includes(action)) return 'has no known action'
      if (action !== 'accept' || request.params.mode === 'url') return undefined
      return findFormProblem(request.params.requestedSchema, content)
    }
    case 'sampling/createMessage': {
      const { role, content, model } = response
      const isMessage = typeof role === 'string' && typeof content === 'object' && content !== null
      return isMessage && typeof model === 'string' ? undefined : 'is not a message of a model'
    }
    case 'roots/list':
      return Array.isArray(response['roots']) ? undefined : 'has no list of roots'
  }
}

function findFormProblem(schema: JsonObject, content: unknown): string | undefined {
  const problems: Problem[] = []
  if (compileJsonSchema(schema)(content, problems)) return undefined
  return problems
    .map(({ path, message }) => `${['content', ...path].join('.')} ${message}`)
    .join('; ')
}
