import { ERROR_CODES } from '../../protocol/error.ts'
import type { RequestId } from '../../protocol/json-rpc.ts'
import { toErrorFrame } from '../../server/reply.ts'
import type { HttpAnswer } from './http-message.ts'

/** A request that was refused before an endpoint handled it, or that failed, independent of how it is formatted. */
export interface HttpRefusal {
  readonly status: number
  /** The JSON-RPC error code. */
  readonly code: number
  readonly message: string
  /** Headers of the response, such as `WWW-Authenticate` and `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>
}

/** An error response; the members that are absent have defaults. */
export interface HttpError extends Partial<Omit<HttpRefusal, 'status' | 'message'>> {
  readonly status: number
  readonly message: string
  readonly id?: RequestId | null
  readonly data?: unknown
}

const JSON_TYPE = { 'content-type': 'application/json' } as const

/** Fills in the code that belongs to the status. */
export function toRefusal({ status, message, code, headers = {} }: HttpError): HttpRefusal {
  return { status, code: code ?? toErrorCode(status), message, headers }
}

/** Formats an error response as a JSON-RPC error. */
export function toErrorAnswer(error: HttpError): HttpAnswer {
  const { status, message, code = toErrorCode(status), id = null, data, headers } = error
  const { text } = toErrorFrame(id, { code, message, data })
  return { status, headers: { ...JSON_TYPE, ...headers }, body: text }
}

/** A JSON response whose body is already serialised. */
export function toJsonAnswer(
  body: string,
  status: number = 200,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  return { status, headers: { ...JSON_TYPE, ...headers }, body }
}

/** For requests that arrive, or whose body is complete, after the server began to close. */
export const SHUTTING_DOWN: HttpError = { status: 503, message: 'the server is shutting down' }

function toErrorCode(status: number): number {
  const isTemporary = status === 429 || status === 503
  return isTemporary ? ERROR_CODES.busy : ERROR_CODES.invalidRequest
}
