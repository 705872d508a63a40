import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { BASE_HEADERS } from '../base-headers.ts'
import { ClientDisconnectedError } from '../client-disconnected-error.ts'
import type { HttpHandler } from '../http-app.ts'
import type { EventSink, HttpAnswer, HttpReply, HttpRequest } from '../http-message.ts'
import { markStreamed } from './body-timeout.ts'
import { SSE_HEADERS } from '../session/sse-event.ts'

/** Adapts a handler to `node:http` directly, without the cost of web-standard objects. */
export function toNodeListener(handler: HttpHandler): RequestListener {
  return (request, response) => {
    const reply = new NodeReply(response)
    void handler.handle(new NodeRequest(request), reply)
  }
}

const BASE_LIST = Object.entries(BASE_HEADERS)

/** Headers of which Node drops duplicates, although a duplicate must be refused. */
const SINGLE_HEADERS: ReadonlySet<string> = new Set(['host', 'authorization', 'origin'])

class NodeRequest implements HttpRequest {
  readonly #request: IncomingMessage

  constructor(request: IncomingMessage) {
    this.#request = request
  }

  get method(): string {
    return this.#request.method ?? 'GET'
  }

  get path(): string {
    const { url = '/' } = this.#request
    const end = url.indexOf('?')
    return end === -1 ? url : url.slice(0, end)
  }

  get query(): URLSearchParams {
    const { url = '/' } = this.#request
    const start = url.indexOf('?')
    return start === -1 ? new URLSearchParams() : new URLSearchParams(url.slice(start))
  }

  get scheme(): 'http' | 'https' {
    return (this.#request.socket as Partial<TLSSocket>).encrypted === true ? 'https' : 'http'
  }

  header(name: string): string | null {
    const value = this.#request.headers[name]
    if (value === undefined) return null
    if (SINGLE_HEADERS.has(name)) return this.#joinAll(name)
    return Array.isArray(value) ? value.join(', ') : value
  }

  readBody(maxBytes: number): Promise<Uint8Array | undefined> {
    const request = this.#request
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve(undefined)
    // A destroyed request emits no more events.
    if (request.destroyed) return Promise.reject(new ClientDisconnectedError())
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      let length = 0
      request.on('data', (chunk: Buffer) => {
        length += chunk.byteLength
        if (length > maxBytes) resolve(undefined)
        else chunks.push(chunk)
      })
      request.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
      request.on('error', (cause) => reject(new ClientDisconnectedError({ cause })))
    })
  }

  streamBody(): AsyncIterable<Uint8Array> {
    markStreamed(this.#request)
    // Without this option, stopping early would destroy the connection before the response is sent.
    const iterator = this.#request.iterator({ destroyOnReturn: false })
    return iterator as AsyncIterable<Uint8Array>
  }

  #joinAll(name: string): string {
    const { rawHeaders } = this.#request
    const values: string[] = []
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const rawName = rawHeaders[at] ?? ''
      if (rawName.length === name.length && rawName.toLowerCase() === name)
        values.push(rawHeaders[at + 1] ?? '')
    }
    return values.join(', ')
  }
}

function ignore(): void {}

class NodeReply implements HttpReply {
  readonly #response: ServerResponse
  #sink: NodeSink | undefined

  constructor(response: ServerResponse) {
    this.#response = response
    // A write to a disconnected client must not crash the process; `onDisconnect` reports it.
    response.on('error', ignore)
  }

  setHeader(name: string, value: string): void {
    this.#response.setHeader(name, value)
  }

  send({ status, headers = {}, body = '' }: HttpAnswer): void {
    const response = this.#response
    if (this.#sink !== undefined) return this.#sink.end()
    if (response.headersSent || response.destroyed) return cancelBody(body)
    // The rest of a refused body may still arrive, so the connection cannot be reused.
    if (status === 413) response.setHeader('connection', 'close')
    // A flat list is cheaper for Node than an object.
    const list: string[] = []
    if (typeof body === 'string' && headers['content-length'] === undefined) {
      list.push('content-length', String(Buffer.byteLength(body)))
    }
    for (const name in headers) list.push(name, headers[name] ?? '')
    for (const [name, value] of BASE_LIST) if (headers[name] === undefined) list.push(name, value)
    response.writeHead(status, list)
    if (typeof body === 'string') endWith(response, body)
    else void this.#pipe(body)
  }

  async #pipe(body: AsyncIterable<Uint8Array>): Promise<void> {
    const sink = new NodeSink(this.#response)
    try {
      for await (const chunk of body) {
        if (!sink.write(chunk)) await sink.drained()
        if (sink.closed) return
      }
      sink.end()
    } catch {
      // The status is sent already, so closing the connection is the only way to report the error.
      this.#response.destroy()
    }
  }

  stream(): EventSink {
    this.#response.writeHead(200, SSE_HEADERS)
    // The client must see at once that its stream is open, even if no event follows for a while.
    this.#response.flushHeaders()
    this.#sink = new NodeSink(this.#response)
    return this.#sink
  }

  onDisconnect(listener: () => void): void {
    if (this.#response.destroyed) return listener()
    this.#response.once('close', () => {
      if (!this.#response.writableFinished) listener()
    })
  }
}

/**
 * Ends a response with its body. `response.end(body)` makes Node write a list of two chunks, the second empty, which costs
 * a tenth of a small call more than writing one chunk.
 */
function endWith(response: ServerResponse, body: string): void {
  const { socket } = response
  // A pipelined request has no socket before the requests ahead of it are answered.
  if (socket === null || body === '') {
    response.end(body)
    return
  }
  socket.cork()
  response.write(body)
  socket.uncork()
  response.end()
}

/** Cancels an unused body stream, so that it releases its resources. */
function cancelBody(body: NonNullable<HttpAnswer['body']>): void {
  if (typeof body === 'string') return
  void body[Symbol.asyncIterator]()
    .return?.()
    .then(undefined, () => {})
}

class NodeSink implements EventSink {
  readonly #response: ServerResponse

  constructor(response: ServerResponse) {
    this.#response = response
  }

  get backlog(): number {
    return this.#response.writableLength
  }

  get closed(): boolean {
    return this.#response.writableEnded || this.#response.destroyed
  }

  write(chunk: string | Uint8Array): boolean {
    return this.closed || this.#response.write(chunk)
  }

  drained(): Promise<void> {
    const response = this.#response
    if (this.closed || !response.writableNeedDrain) return Promise.resolve()
    return new Promise((resolve) => {
      const settle = (): void => {
        response.off('drain', settle).off('close', settle)
        resolve()
      }
      response.on('drain', settle).on('close', settle)
    })
  }

  end(): void {
    if (!this.closed) this.#response.end()
  }
}
