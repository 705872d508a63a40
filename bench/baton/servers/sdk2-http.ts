// The official SDK 2.x on HTTP, legacy wire: sessions, answers as plain JSON.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { toListener } from './fetch-listener.ts'
import { listen } from './listen.ts'
import { createSdk2Server } from './sdk2.ts'

const transportsById = new Map<string, WebStandardStreamableHTTPServerTransport>()

async function serve(request: Request): Promise<Response> {
  const known = transportsById.get(request.headers.get('mcp-session-id') ?? '')
  const transport = known ?? (await openSession())
  return transport.handleRequest(request)
}

async function openSession(): Promise<WebStandardStreamableHTTPServerTransport> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    enableJsonResponse: true,
    onsessioninitialized: (id) => void transportsById.set(id, transport),
  })
  await createSdk2Server().connect(transport)
  return transport
}

listen(createServer(toListener(serve)))
