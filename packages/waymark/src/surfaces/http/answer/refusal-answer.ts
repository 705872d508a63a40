import type { HttpAnswer, HttpRefusal, HttpRequest } from '@waymark/baton/http'
import { Failure, type FailureCode } from '../../../core/error.ts'
import { toFailureAnswer } from './json-answer.ts'
import { parsePath } from '../site-path.ts'

const CODES: Readonly<Record<number, FailureCode>> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  429: 'busy',
  500: 'internal',
  503: 'busy',
}

/** Clients that find no OAuth metadata try this path, and show its answer to their user. */
const NO_REGISTRATION =
  'this server registers no OAuth clients; send its secret as Authorization: Bearer <secret>'

/** Formats a refusal as the OpenAPI document describes errors; MCP endpoints keep baton's JSON-RPC errors. */
export function toRefusalAnswer(
  { status, message, headers }: HttpRefusal,
  { path }: HttpRequest,
): HttpAnswer | undefined {
  if (parsePath(path)?.kind === 'mcp') return undefined
  const text = status === 404 && path === '/register' ? NO_REGISTRATION : message
  return toFailureAnswer(new Failure(CODES[status] ?? 'invalid_input', text), {
    status,
    headers,
  })
}
