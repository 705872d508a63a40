import { ERROR_CODES } from '../../../protocol/error.ts'
import { LEGACY_VERSIONS, MODERN_VERSIONS, PROTOCOL_VERSIONS } from '../../../protocol/version.ts'
import { toErrorAnswer } from '../http-error.ts'
import type { HttpAnswer, HttpRequest } from '../http-message.ts'

export function isModernVersion(version: string | undefined): boolean {
  return MODERN_VERSIONS.some((known) => known === version)
}

/** Refuses an unknown revision; the oldest revisions do not send the header. */
export function checkLegacyVersion(request: HttpRequest): HttpAnswer | undefined {
  const requested = request.header('mcp-protocol-version')
  if (requested === null || LEGACY_VERSIONS.some((known) => known === requested)) return undefined
  return toErrorAnswer({
    status: 400,
    message: 'protocol version is not supported',
    code: ERROR_CODES.unsupportedProtocolVersion,
    data: { supported: PROTOCOL_VERSIONS, requested },
  })
}
