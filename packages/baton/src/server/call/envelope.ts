import type { ClientCapabilities } from '../../protocol/capability.ts'
import { ERROR_CODES, invalidParams, ProtocolError } from '../../protocol/error.ts'
import type { Implementation } from '../../protocol/implementation.ts'
import { isJsonObject } from '../../protocol/json-rpc.ts'
import type { JsonObject } from '../../protocol/json-rpc.ts'
import { isLogLevel } from '../../protocol/server-features/logging.ts'
import type { LogLevel } from '../../protocol/server-features/logging.ts'
import { META_KEYS } from '../../protocol/meta.ts'
import type { Meta } from '../../protocol/meta.ts'
import { MODERN_VERSIONS, NEWEST_LEGACY_VERSION } from '../../protocol/version.ts'
import type { Era } from '../../protocol/version.ts'
import type { SessionState } from '../../session/session.ts'

/** The client and protocol version of a request, from its `_meta` or from its session. */
export interface Envelope {
  readonly era: Era
  readonly protocolVersion: string
  readonly client: Implementation | undefined
  readonly clientCapabilities: ClientCapabilities
  /** The least severe log level that the client wants; undefined for no log messages. */
  readonly logLevel: LogLevel | undefined
  readonly meta: Meta
}

const NO_META: Meta = Object.freeze({})
const NO_CAPABILITIES: ClientCapabilities = Object.freeze({})
const DEFAULT_LEGACY_LOG_LEVEL: LogLevel = 'info'

/**
 * Decides the era of one request. It is never pinned to the connection: a client may send
 * `server/discover` first and then fall back to `initialize` on the same pipe.
 */
export function isModern(params: JsonObject, claimedVersion: string | undefined): boolean {
  const meta = params['_meta']
  if (isJsonObject(meta)) {
    if (META_KEYS.protocolVersion in meta || META_KEYS.clientCapabilities in meta) return true
  }
  return claimedVersion !== undefined && MODERN_VERSIONS.some((known) => known === claimedVersion)
}

/** Reads the envelope from the `_meta` of a modern request, where it is required. */
export function readModernEnvelope(params: JsonObject): Envelope {
  const meta = isJsonObject(params['_meta']) ? params['_meta'] : NO_META
  const version = meta[META_KEYS.protocolVersion]
  const capabilities = meta[META_KEYS.clientCapabilities]
  const logLevel = meta[META_KEYS.logLevel]
  if (typeof version !== 'string') throw missing(META_KEYS.protocolVersion, 'a string')
  if (!MODERN_VERSIONS.some((known) => known === version)) throw unsupportedVersion(version)
  if (!isJsonObject(capabilities)) throw missing(META_KEYS.clientCapabilities, 'an object')
  if (logLevel !== undefined && !isLogLevel(logLevel)) {
    throw invalidParams(`${META_KEYS.logLevel} is not a log level`)
  }
  return {
    era: 'modern',
    protocolVersion: version,
    client: toImplementation(meta[META_KEYS.clientInfo]),
    clientCapabilities: capabilities,
    logLevel,
    meta,
  }
}

/** Builds the envelope of a legacy request from the negotiated state, or from defaults before `initialize`. */
export function toLegacyEnvelope(params: JsonObject, state: SessionState | undefined): Envelope {
  return {
    era: 'legacy',
    protocolVersion: state?.protocolVersion ?? NEWEST_LEGACY_VERSION,
    client: toImplementation(state?.clientInfo),
    clientCapabilities: state?.clientCapabilities ?? NO_CAPABILITIES,
    logLevel: legacyLogLevel(state),
    meta: isJsonObject(params['_meta']) ? params['_meta'] : NO_META,
  }
}

/** Accepts a self-description that has at least a name and a version. */
function toImplementation(value: unknown): Implementation | undefined {
  if (!isJsonObject(value)) return undefined
  const { name, version } = value
  if (typeof name !== 'string' || typeof version !== 'string') return undefined
  return { ...value, name, version }
}

function missing(key: string, expected: string): ProtocolError {
  return invalidParams(`_meta must have ${key}, ${expected}`)
}

function unsupportedVersion(requested: string): ProtocolError {
  return new ProtocolError(
    ERROR_CODES.unsupportedProtocolVersion,
    `protocol version ${requested} is not supported`,
    { supported: MODERN_VERSIONS, requested },
  )
}

/** The least severe log level that a legacy client gets. */
export function legacyLogLevel(state: SessionState | undefined): LogLevel {
  const level = state?.logLevel
  if (level === undefined) return DEFAULT_LEGACY_LOG_LEVEL
  return isLogLevel(level) ? level : DEFAULT_LEGACY_LOG_LEVEL
}
