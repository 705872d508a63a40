import type { Denial } from '../../auth/denial.ts'
import { ERROR_CODES } from '../../protocol/error.ts'
import type { RequestId } from '../../protocol/json-rpc.ts'
import { toErrorFrame } from '../../server/reply/frame-text.ts'
import type { HttpAnswer } from './http-message.ts'

/** An error response. */
export interface HttpError {
  readonly status: number
  readonly message: string
  readonly code?: number
  readonly id?: RequestId | null
  readonly data?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const JSON_TYPE = { 'content-type': 'application/json' } as const

/** Formats an error response as a JSON-RPC error. */
export function toErrorAnswer({
  status,
  message,
  id = null,
  data,
  headers,
  ...rest
}: HttpError): HttpAnswer {
  const code = rest.code ?? (isTemporary(status) ? ERROR_CODES.busy : ERROR_CODES.invalidRequest)
  const { text } = toErrorFrame(id, { code, message, data })
  return { status, headers: { ...JSON_TYPE, ...headers }, body: text }
}

export function toDenialAnswer({ status, message, headers }: Denial): HttpAnswer {
  return toErrorAnswer({ status, message, headers })
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
export const SHUTTING_DOWN: HttpAnswer = toErrorAnswer({
  status: 503,
  message: 'the server is shutting down',
})

function isTemporary(status: number): boolean {
  return status === 429 || status === 503
}
