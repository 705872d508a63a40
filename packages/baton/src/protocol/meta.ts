import type { JsonObject } from './json-rpc.ts'

/** Free-form metadata; the key prefix `io.modelcontextprotocol/` is reserved for the protocol. */
export type Meta = Readonly<JsonObject>

/** The `_meta` keys that the protocol reserves. */
export const META_KEYS = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscriptionId: 'io.modelcontextprotocol/subscriptionId',
} as const
