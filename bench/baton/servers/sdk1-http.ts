// The official SDK 1.x on HTTP: sessions, answers as plain JSON, wired as its documentation shows.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { listen } from './listen.ts'
import { createSdk1Server } from './sdk1.ts'

const transportsById = new Map<string, StreamableHTTPServerTransport>()

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const id = request.headers['mcp-session-id']
  const known = transportsById.get(String(id))
  const transport = known ?? (await openSession())
  await transport.handleRequest(request, response)
}

async function openSession(): Promise<StreamableHTTPServerTransport> {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    enableJsonResponse: true,
    onsessioninitialized: (id) => void transportsById.set(id, transport),
  })
  // Its `onclose` may be undefined where the interface wants it absent.
  await createSdk1Server().connect(transport as Parameters<McpConnect>[0])
  return transport
}

type McpConnect = ReturnType<typeof createSdk1Server>['connect']

listen(createServer((request, response) => void serve(request, response)))
