import { ERROR_CODES, invalidParams, ProtocolError } from '../../protocol/error.ts'
import { isJsonObject } from '../../protocol/json-rpc.ts'
import { LEGACY_VERSIONS, MODERN_VERSIONS, NEWEST_LEGACY_VERSION } from '../../protocol/version.ts'
import type { Call } from '../call/call.ts'
import type { ServerRuntime } from '../runtime.ts'
import type { Method, ConnectionPort } from './method.ts'

/** `initialize`: negotiates a legacy revision and stores the client's capabilities. */
export const initialize: Method = {
  era: 'legacy',
  run(runtime: ServerRuntime, call: Call, connection: ConnectionPort): object {
    const { protocolVersion: requested, capabilities = {}, clientInfo } = call.params
    if (typeof requested !== 'string') throw invalidParams('protocolVersion must be a string')
    if (!isJsonObject(capabilities)) throw invalidParams('capabilities must be an object')
    if (clientInfo !== undefined && !isJsonObject(clientInfo)) {
      throw invalidParams('clientInfo must be an object')
    }
    const protocolVersion = negotiate(requested, runtime.strictVersions)
    connection.setState({
      protocolVersion,
      clientCapabilities: capabilities,
      initialized: false,
      subscriptions: [],
      ...(clientInfo && { clientInfo }),
    })
    return {
      protocolVersion,
      capabilities: runtime.capabilities(),
      serverInfo: runtime.info,
      instructions: runtime.instructions,
    }
  },
}

/** `server/discover`: versions and capabilities for a modern client, without any state. */
export const discover: Method = {
  era: 'modern',
  cacheable: true,
  run(runtime: ServerRuntime): object {
    return {
      supportedVersions: MODERN_VERSIONS,
      capabilities: runtime.capabilities(),
      instructions: runtime.instructions,
    }
  },
}

/** `ping`. */
export const ping: Method = {
  era: 'legacy',
  run: (): object => ({}),
}

function negotiate(requested: string, strictVersions: readonly string[] | undefined): string {
  const supported = strictVersions ?? LEGACY_VERSIONS
  if (supported.includes(requested)) return requested
  if (strictVersions === undefined) return NEWEST_LEGACY_VERSION
  throw new ProtocolError(ERROR_CODES.invalidParams, 'protocol version is not supported', {
    supported,
    requested,
  })
}
