import { toVisible } from '../internal/visible-text.ts'

/** The JSON-RPC and MCP error codes that baton itself sends. */
export const ERROR_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** The request was not started, because the queue is full or the server stops; the client may retry. */
  busy: -32000,
  requestTimeout: -32001,
  /** Legacy revisions only; the modern one answers `invalidParams`. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedProtocolVersion: -32022,
} as const

/** An error that is sent to the client as a JSON-RPC error, without its cause; invisible characters of the message are escaped. */
export class ProtocolError extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown, options?: ErrorOptions) {
    super(toVisible(message), options)
    this.name = 'ProtocolError'
    this.code = code
    this.data = data
  }
}

/** Builds the error for invalid parameters. */
export function invalidParams(message: string, data?: unknown): ProtocolError {
  return new ProtocolError(ERROR_CODES.invalidParams, message, data)
}

const MAX_URI_LENGTH = 200

/** Builds the error for a resource that does not exist; its code is adapted to the era of the client. */
export function resourceNotFound(uri: string): ProtocolError {
  const name = uri.slice(0, MAX_URI_LENGTH)
  return new ProtocolError(ERROR_CODES.resourceNotFound, `resource not found: ${name}`, { uri })
}
