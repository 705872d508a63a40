import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import * as zlib from 'node:zlib'
import { ANTHROPIC_MESSAGES } from './anthropic.ts'
import { GEMINI } from './gemini.ts'
import { OPENAI_CHAT } from './openai-chat.ts'
import { OPENAI_RESPONSES } from './openai-responses.ts'
import type { Json, ModelRequest, Reply, Wire } from './wire.ts'

const WIRES: readonly Wire[] = [ANTHROPIC_MESSAGES, OPENAI_CHAT, OPENAI_RESPONSES, GEMINI]

/** Plays the model: `body` is the request as it was sent, for what the model can read in it. */
export type Model = (request: ModelRequest, body: string) => Reply

export interface ModelService extends AsyncDisposable {
  readonly origin: string
  /** Addresses outside that a host wanted to reach through the proxy that we are, too. */
  readonly refused: ReadonlySet<string>
  /** Requests that no wire understood. */
  readonly unknown: readonly string[]
}

/** Stands in for the model services that hosts speak to. Listens on loopback only. */
export async function startModelService(model: Model): Promise<ModelService> {
  const refused = new Set<string>()
  const unknown: string[] = []
  const server = createServer((request, response) => {
    answer(request, response, { model, unknown }).catch((error: unknown) => {
      unknown.push(`${request.method} ${request.url}: ${String(error)}`)
      // A host would try again for minutes if this looked like trouble of the service's own.
      sendJson(response, 400, { error: { message: String(error) } })
    })
  })
  server.on('connect', (request, socket) => {
    refused.add(request.url ?? '')
    // The host may hang up first.
    socket.on('error', () => {})
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port was assigned')
  return {
    origin: `http://127.0.0.1:${address.port}`,
    refused,
    unknown,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

interface Stage {
  readonly model: Model
  readonly unknown: string[]
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { model, unknown }: Stage,
): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://127.0.0.1').pathname
  const body = await readBody(request)
  const wire = WIRES.find((each) => each.path.test(path))
  if (wire === undefined || request.method !== 'POST') {
    const found = SMALL_TALK.find(([pattern]) => pattern.test(path))
    if (found === undefined) unknown.push(`${request.method} ${path}`)
    sendJson(response, found === undefined ? 404 : 200, found?.[1] ?? {})
    return
  }
  const parsed = wire.parse(JSON.parse(body), path)
  const reply = model(parsed, body)
  if (!parsed.isStream) {
    sendJson(response, 200, wire.toBody(reply, parsed.model))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  for (const { name, data } of wire.toEvents(reply, parsed.model)) {
    const event = name === undefined ? '' : `event: ${name}\n`
    response.write(`${event}data: ${JSON.stringify(data)}\n\n`)
  }
  response.end(wire.end === undefined ? undefined : `data: ${wire.end}\n\n`)
}

/** What hosts ask beside the conversation. */
const SMALL_TALK: readonly (readonly [RegExp, Json])[] = [
  [/\/messages\/count_tokens$/, { input_tokens: 1 }],
  [/:countTokens$/, { totalTokens: 1 }],
  [/\/models$/, { object: 'list', data: [{ id: 'stand-in', object: 'model' }], models: [] }],
]

async function readBody(request: IncomingMessage): Promise<string> {
  const bytes = await buffer(request)
  const encoding = request.headers['content-encoding']
  if (encoding === 'gzip') return zlib.gunzipSync(bytes).toString()
  if (encoding === 'br') return zlib.brotliDecompressSync(bytes).toString()
  return bytes.toString()
}

function sendJson(response: ServerResponse, status: number, body: Json): void {
  if (response.headersSent) {
    response.end()
    return
  }
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
