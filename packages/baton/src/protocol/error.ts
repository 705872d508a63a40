import { toShown } from '../internal/shown-text.ts'

/** The JSON-RPC and MCP error codes that baton itself sends. */
export const ERROR_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Nothing was begun, because the queue is full or the server stops; the client may try again later. */
  busy: -32000,
  requestTimeout: -32001,
  /** Legacy revisions only; the modern one answers `invalidParams`. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedProtocolVersion: -32022,
} as const

/** An error that crosses the wire as a JSON-RPC error, as it was thrown but for its cause; its message is one visible line. */
export class ProtocolError extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown, options?: ErrorOptions) {
    super(toShown(message), options)
    this.name = 'ProtocolError'
    this.code = code
    this.data = data
  }
}

/** Builds the error for parameters that the method cannot work with. */
export function invalidParams(message: string, data?: unknown): ProtocolError {
  return new ProtocolError(ERROR_CODES.invalidParams, message, data)
}

const LONGEST_NAME = 200

/** Builds the error for a resource that does not exist, in the spelling of either era. */
export function resourceNotFound(uri: string): ProtocolError {
  const name = uri.slice(0, LONGEST_NAME)
  return new ProtocolError(ERROR_CODES.resourceNotFound, `resource not found: ${name}`, { uri })
}
