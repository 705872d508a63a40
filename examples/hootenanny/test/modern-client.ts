import { TASKS_EXTENSION } from '@waymark/baton'

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS_EXTENSION]: {} } },
}

/** A request of the modern era by a client that knows tasks, which the official ones do not. */
export async function request(
  url: string,
  method: string,
  params: { readonly name?: string; readonly taskId?: string; readonly arguments?: object },
): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': params.name ?? params.taskId ?? '',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }),
  })
  const message = (await response.json()) as { result?: Record<string, unknown> }
  if (message.result === undefined) throw new Error(JSON.stringify(message))
  return message.result
}
