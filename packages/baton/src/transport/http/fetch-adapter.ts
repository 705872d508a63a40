import { BASE_HEADERS } from './base-headers.ts'
import type { HttpHandler } from './http-app.ts'
import type { EventSink, HttpAnswer, HttpReply, HttpRequest } from './http-message.ts'
import { SSE_HEADERS } from './session/sse-event.ts'

const encoder = new TextEncoder()

/** Handles a web-standard request. */
export function serveFetch(handler: HttpHandler, request: Request): Promise<Response> {
  return new Promise((resolve, reject) => {
    const reply = new FetchReply(request.signal, resolve)
    handler.handle(new FetchRequest(request), reply).catch(reject)
  })
}

class FetchRequest implements HttpRequest {
  readonly method: string
  readonly #request: Request
  readonly #url: URL

  constructor(request: Request) {
    this.#request = request
    this.#url = new URL(request.url)
    this.method = request.method
  }

  get path(): string {
    return this.#url.pathname
  }

  get query(): URLSearchParams {
    return this.#url.searchParams
  }

  get scheme(): 'http' | 'https' {
    return this.#url.protocol === 'https:' ? 'https' : 'http'
  }

  header(name: string): string | null {
    const value = this.#request.headers.get(name)
    // Some runtimes do not expose the Host header, only the URL that they derived from it.
    return value === null && name === 'host' ? this.#url.host : value
  }

  async readBody(maxBytes: number): Promise<Uint8Array | undefined> {
    const declared = Number(this.#request.headers.get('content-length') ?? 0)
    if (declared > maxBytes) return undefined
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of this.streamBody()) {
      length += chunk.byteLength
      if (length > maxBytes) return undefined
      chunks.push(chunk)
    }
    return concatenate(chunks, length)
  }

  async *streamBody(): AsyncGenerator<Uint8Array> {
    const body: AsyncIterable<Uint8Array> | null = this.#request.body
    yield* body ?? []
  }
}

function concatenate(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = chunks
  if (chunks.length === 1 && only !== undefined) return only
  const whole = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}

class FetchReply implements HttpReply {
  readonly #resolve: (response: Response) => void
  readonly #headers = new Headers()
  readonly #disconnected = new AbortController()
  #sink: StreamSink | undefined

  constructor(signal: AbortSignal, resolve: (response: Response) => void) {
    this.#resolve = resolve
    if (signal.aborted) this.#disconnect()
    else signal.addEventListener('abort', () => this.#disconnect(), { once: true })
  }

  setHeader(name: string, value: string): void {
    this.#headers.set(name, value)
  }

  send({ status, headers = {}, body }: HttpAnswer): void {
    if (this.#sink !== undefined) return this.#sink.end()
    for (const [name, value] of Object.entries({ ...BASE_HEADERS, ...headers }))
      this.#headers.set(name, value)
    const content = typeof body === 'object' ? toStream(body) : (body ?? null)
    this.#resolve(new Response(content, { status, headers: this.#headers }))
  }

  stream(): EventSink {
    const sink = new StreamSink(() => this.#disconnect())
    this.#sink = sink
    for (const [name, value] of Object.entries(SSE_HEADERS)) this.#headers.set(name, value)
    this.#resolve(new Response(sink.readable, { status: 200, headers: this.#headers }))
    return sink
  }

  onDisconnect(listener: () => void): void {
    if (this.#disconnected.signal.aborted) listener()
    else this.#disconnected.signal.addEventListener('abort', listener, { once: true })
  }

  #disconnect(): void {
    this.#sink?.abandon()
    this.#disconnected.abort()
    // The client will not read it, but the caller of `fetch` awaits a response.
    this.#resolve(new Response(null, { status: CLIENT_CLOSED_REQUEST }))
  }
}

/** As `ReadableStream.from`, which some runtimes lack. */
function toStream(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await iterator.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

/** The status that proxies log for a client that disconnected. */
const CLIENT_CLOSED_REQUEST = 499

/** Bytes that are buffered before `write` reports back-pressure. */
const HIGH_WATER_MARK = 64 * 1024

class StreamSink implements EventSink {
  readonly readable: ReadableStream<Uint8Array>
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #isClosed = false
  #onDrained: () => void = () => {}

  constructor(onCancel: () => void) {
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => this.#onDrained(),
        cancel: onCancel,
      },
      new ByteLengthQueuingStrategy({ highWaterMark: HIGH_WATER_MARK }),
    )
  }

  get backlog(): number {
    return this.#isClosed ? 0 : Math.max(0, HIGH_WATER_MARK - (this.#controller?.desiredSize ?? 0))
  }

  get closed(): boolean {
    return this.#isClosed
  }

  write(text: string): boolean {
    if (this.#isClosed) return true
    this.#controller?.enqueue(encoder.encode(text))
    return (this.#controller?.desiredSize ?? 0) > 0
  }

  drained(): Promise<void> {
    if (this.#isClosed || (this.#controller?.desiredSize ?? 0) > 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onDrained = resolve
    })
  }

  end(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#controller?.close()
    this.#onDrained()
  }

  /** Marks the sink as closed after the client disconnected; the stream itself is already cancelled. */
  abandon(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#onDrained()
  }
}
