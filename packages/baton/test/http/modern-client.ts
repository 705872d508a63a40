import { MODERN_META } from '../support/sample-server.ts'
import type { Send } from './http-client.ts'

const NAME_PARAMETERS = ['name', 'uri', 'taskId']

export interface ModernRequest {
  readonly method: string
  readonly params?: Record<string, unknown>
  readonly id?: string | number
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly meta?: Readonly<Record<string, unknown>>
  readonly signal?: AbortSignal
}

/** Sends a stateless request with the headers that belong to it, unless told otherwise. */
export function sendModern(
  { url, send }: { readonly url: string; readonly send: Send },
  { method, params = {}, id = 1, headers = {}, meta = MODERN_META, signal }: ModernRequest,
): Promise<Response> {
  const name = NAME_PARAMETERS.map((key) => params[key]).find((value) => typeof value === 'string')
  const all = {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    'mcp-name': typeof name === 'string' ? name : undefined,
    ...headers,
  }
  const present = Object.entries(all).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  const body = JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } })
  const init: RequestInit = { method: 'POST', headers: present, body }
  return send(new Request(url, signal === undefined ? init : { ...init, signal }))
}
