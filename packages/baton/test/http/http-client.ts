import { type ParsedEvent, parseSse } from './sse-parser.ts'

/** Sends a request to the server under test, over a socket or not. */
export type Send = (request: Request) => Promise<Response>

export interface JsonMessage {
  readonly jsonrpc?: string
  readonly id?: string | number | null
  readonly method?: string
  readonly params?: Record<string, unknown>
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export interface ClientOptions {
  readonly url: string
  readonly send: Send
  readonly protocolVersion?: string
  readonly headers?: Readonly<Record<string, string>>
}

const BOTH = 'application/json, text/event-stream'

/** A client of the initialize era that shows every byte and does nothing by itself. */
export class LegacyClient {
  url: string
  readonly protocolVersion: string
  sessionId: string | undefined
  readonly #send: Send
  readonly #headers: Readonly<Record<string, string>>
  #nextId = 0

  constructor({ url, send, protocolVersion = '2025-11-25', headers = {} }: ClientOptions) {
    this.url = url
    this.protocolVersion = protocolVersion
    this.#send = send
    this.#headers = headers
  }

  static async connect(options: ClientOptions): Promise<LegacyClient> {
    const client = new LegacyClient(options)
    const response = await client.initialize()
    if (response.status !== 200) throw new Error(`initialize: ${response.status}`)
    await response.text()
    await (await client.notify('notifications/initialized')).text()
    return client
  }

  async initialize(capabilities: object = {}): Promise<Response> {
    const response = await this.post({
      jsonrpc: '2.0',
      id: 'init',
      method: 'initialize',
      params: {
        protocolVersion: this.protocolVersion,
        capabilities,
        clientInfo: { name: 'raw', version: '0' },
      },
    })
    this.sessionId = response.headers.get('mcp-session-id') ?? undefined
    return response
  }

  headers(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
    return {
      accept: BOTH,
      'content-type': 'application/json',
      ...(this.sessionId !== undefined && {
        'mcp-session-id': this.sessionId,
        'mcp-protocol-version': this.protocolVersion,
      }),
      ...this.#headers,
      ...extra,
    }
  }

  post(message: unknown, init: RequestInit = {}): Promise<Response> {
    const body = typeof message === 'string' ? message : JSON.stringify(message)
    return this.#send(
      new Request(this.url, { method: 'POST', headers: this.headers(), body, ...init }),
    )
  }

  notify(method: string, params: object = {}): Promise<Response> {
    return this.post({ jsonrpc: '2.0', method, params })
  }

  /** Sends a request and leaves the answer unread. */
  request(method: string, params: object = {}, init: RequestInit = {}): Promise<Response> {
    this.#nextId += 1
    return this.post({ jsonrpc: '2.0', id: this.#nextId, method, params }, init)
  }

  /** Sends a request and reads its answer, in whichever form it comes. */
  async call(method: string, params: object = {}): Promise<JsonMessage> {
    const messages = await readAll(await this.request(method, params))
    const answer = messages.find(({ method: name }) => name === undefined)
    if (answer === undefined) throw new Error('no answer')
    return answer
  }

  get(headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const all = this.headers({ accept: 'text/event-stream', ...headers })
    return this.#send(new Request(this.url, { headers: all }))
  }

  delete(): Promise<Response> {
    return this.#send(new Request(this.url, { method: 'DELETE', headers: this.headers() }))
  }
}

/** All messages of an answer: one for JSON, those of its stream for SSE. */
export async function readAll(response: Response): Promise<JsonMessage[]> {
  if (response.headers.get('content-type') !== 'text/event-stream')
    return [JSON.parse(await response.text()) as JsonMessage]
  const messages: JsonMessage[] = []
  for await (const event of eventsOf(response))
    if (event.data !== '') messages.push(JSON.parse(event.data) as JsonMessage)
  return messages
}

export function eventsOf(response: Response): AsyncGenerator<ParsedEvent> {
  return openEvents(response).events
}

/**
 * The events of a stream, and the way to hang up in the middle. Aborting a fetch is not reliable for that: the signal is
 * held weakly once the response has begun.
 */
export function openEvents(response: Response): {
  events: AsyncGenerator<ParsedEvent>
  hangUp: () => Promise<void>
} {
  if (response.body === null) throw new Error('no body')
  const reader = response.body.getReader()
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const { value, done } = await reader.read()
        if (done) return
        yield value
      }
    } finally {
      await reader.cancel().catch(() => {})
    }
  }
  return { events: parseSse(chunks()), hangUp: () => reader.cancel() }
}

/** Takes events one by one, so that a test can stop in the middle. */
export async function take(
  events: AsyncGenerator<ParsedEvent>,
  count: number,
): Promise<ParsedEvent[]> {
  const taken: ParsedEvent[] = []
  while (taken.length < count) {
    const { value, done } = await events.next()
    if (done === true) throw new Error(`the stream ended after ${taken.length} events`)
    taken.push(value)
  }
  return taken
}

export function toMessage({ data }: ParsedEvent): JsonMessage {
  return JSON.parse(data) as JsonMessage
}
