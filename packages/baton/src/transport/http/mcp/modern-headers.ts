import { ERROR_CODES, ProtocolError } from '../../../protocol/error.ts'
import { decodeHeaderValue } from '../../../protocol/header-value.ts'
import { type JsonObject, type RequestMessage, isJsonObject } from '../../../protocol/json-rpc.ts'
import { META_KEYS } from '../../../protocol/meta.ts'

type ReadHeader = (name: string) => string | null

/** The parameter that the `Mcp-Name` header repeats, by method. */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
])

/**
 * Checks that the version header matches the body. Proxies route and authorise by headers, so a mismatch could bypass
 * their rules.
 */
export function checkVersionHeader({ params }: RequestMessage, header: ReadHeader): void {
  const version = isJsonObject(params['_meta'])
    ? params['_meta'][META_KEYS.protocolVersion]
    : undefined
  if (typeof version === 'string') expectHeader('MCP-Protocol-Version', version, header)
}

/** Checks that the headers for method and name match the body. */
export function checkRequestHeaders({ method, params }: RequestMessage, header: ReadHeader): void {
  expectHeader('Mcp-Method', method, header)
  const name = nameIn(method, params)
  if (name !== undefined) expectHeader('Mcp-Name', name, header)
}

function nameIn(method: string, params: JsonObject): string | undefined {
  const parameter = NAMED_BY.get(method)
  const name = parameter === undefined ? undefined : params[parameter]
  return typeof name === 'string' ? name : undefined
}

function expectHeader(name: string, expected: string, header: ReadHeader): void {
  const value = header(name.toLowerCase())
  if (value === null) throw mismatch(`header ${name} is missing`)
  if (decodeHeaderValue(value.trim()) !== expected)
    throw mismatch(`header ${name} differs from the body`)
}

function mismatch(message: string): ProtocolError {
  return new ProtocolError(ERROR_CODES.headerMismatch, message)
}
