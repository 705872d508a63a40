/** Which generation of the protocol a client speaks. */
export type Wire = 'legacy' | '2026'

/** A request that can be sent any number of times, each under another id. */
export interface RequestTemplate {
  readonly method: string
  /** The name that modern clients repeat in a header. */
  readonly name: string | undefined
  toText(id: number): string
}

export const LEGACY_VERSION = '2025-11-25'
export const MODERN_VERSION = '2026-07-28'
export const ECHO_TEXT = 'the quick brown fox jumps over the lazy dog'

const CLIENT_INFO = { name: 'bench', version: '1.0.0' }

const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
}

/** The first request of a client. */
export function toGreeting(wire: Wire): RequestTemplate {
  if (wire === '2026') return toTemplate(wire, 'server/discover', {})
  return toTemplate(wire, 'initialize', {
    protocolVersion: LEGACY_VERSION,
    capabilities: {},
    clientInfo: CLIENT_INFO,
  })
}

/** What a legacy client says once it has been greeted. */
export const INITIALIZED: string = JSON.stringify({
  jsonrpc: '2.0',
  method: 'notifications/initialized',
})

/** What most clients ask next. */
export function toToolList(wire: Wire): RequestTemplate {
  return toTemplate(wire, 'tools/list', {})
}

export function toEchoCall(wire: Wire): RequestTemplate {
  return toTemplate(wire, 'tools/call', { name: 'echo', arguments: { text: ECHO_TEXT } })
}

export function toBigCall(wire: Wire): RequestTemplate {
  return toTemplate(wire, 'tools/call', { name: 'big', arguments: {} })
}

function toTemplate(
  wire: Wire,
  method: string,
  params: { readonly name?: string; readonly [member: string]: unknown },
): RequestTemplate {
  const all = wire === '2026' ? { ...params, _meta: MODERN_META } : params
  const rest = `,"method":"${method}","params":${JSON.stringify(all)}}`
  return { method, name: params.name, toText: (id) => `{"jsonrpc":"2.0","id":${id}${rest}` }
}
