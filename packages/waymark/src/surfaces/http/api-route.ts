import type { HttpAnswer, HttpRequest } from '@waymark/baton/http'
import { withDeadline } from '../../support/deadline.ts'
import { Failure } from '../../core/error.ts'
import { execute } from '../../core/execute.ts'
import type { Operation } from '../../core/operation.ts'
import { findOperation } from '../../registry.ts'
import { violation } from '../../core/input/parse.ts'
import { flagsOf, toInput } from '../cli/input/flags.ts'
import { readJsonBody } from './json-body.ts'
import { toFailureAnswer, toJsonAnswer } from './answer/json-answer.ts'
import { createRequestContext, type RouteCall, toDenial } from './request-context.ts'

const LARGEST_BODY = 4 * 1024 * 1024

/** Serves an operation: `GET /api/entity.list?type=task` for one that reads, `POST` with a JSON body for all. */
export async function answerOperation(call: RouteCall, name: string): Promise<HttpAnswer> {
  const { request } = call
  const operation = await findOperation(name)
  if (operation === undefined)
    return toFailureAnswer(new Failure('not_found', `no route ${request.path.slice(0, 200)}`))
  if (!allowedMethods(operation).includes(request.method)) return wrongMethod(operation)
  // Refused before its body is read, unless that decides what it needs.
  const denial = operation.areasBy === undefined ? toDenial(call, operation) : undefined
  if (denial !== undefined) return denial
  try {
    const input = await inputOf(operation, request)
    const denialOfInput = operation.areasBy && toDenial(call, operation, input)
    if (denialOfInput !== undefined) return denialOfInput
    const engine = await call.project.open()
    using patience = withDeadline(engine.config.requestTimeoutMs, call.stopping)
    const context = await createRequestContext(engine, call, patience.signal)
    return toJsonAnswer(200, await execute(context, operation, input))
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const status = statusOf(error)
    return toFailureAnswer(error, status === undefined ? {} : { status })
  }
}

function allowedMethods({ effect }: Operation): readonly string[] {
  return effect === 'read' ? ['GET', 'POST'] : ['POST']
}

function wrongMethod(operation: Operation): HttpAnswer {
  const allow = allowedMethods(operation).join(', ')
  const failure = new Failure('invalid_input', `${operation.name} takes ${allow}`)
  return toFailureAnswer(failure, { status: 405, headers: { allow } })
}

async function inputOf(operation: Operation, request: HttpRequest): Promise<unknown> {
  return request.method === 'GET'
    ? fromQuery(operation, request.query)
    : await readJsonBody(request, LARGEST_BODY)
}

/** Query strings hold only text; the operation's schema says which of it are numbers and lists. What it does not list is text. */
function fromQuery(operation: Operation, query: URLSearchParams): unknown {
  const flags = flagsOf(operation)
  const known = new Map(flags.map((flag) => [flag.path.join('.'), flag]))
  const given: Record<string, unknown> = {}
  const unlisted: Record<string, unknown> = {}
  for (const name of new Set(query.keys())) {
    const flag = known.get(name)
    if (flag === undefined) {
      if (!Object.hasOwn(operation.input.shape, name))
        throw violation(name, 'unknown_field', `${operation.name} has no such field`)
      unlisted[name] = query.get(name)
      continue
    }
    const values = query
      .getAll(name)
      .map((text) => (flag.kind === 'boolean' ? toBoolean(name, text) : text))
    given[flag.name] = flag.repeatable ? values : values[0]
  }
  return { ...toInput(flags, given), ...unlisted }
}

function toBoolean(name: string, text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw violation(name, 'wrong_type', 'must be true or false', { value: text })
}

/** The status of an invalid request that has one of its own. */
export function statusOf({ details }: Failure): number | undefined {
  const { field, rule } = details
  if (field === 'content-type' && rule === 'not_one_of') return 415
  return field === 'body' && rule === 'too_large' ? 413 : undefined
}
