import { INITIALIZED, LEGACY_VERSION, MODERN_VERSION } from '../wire.ts'
import type { RequestTemplate, Wire } from '../wire.ts'
import type { HttpAnswer } from './http-answer.ts'
import { HttpConnection } from './http-connection.ts'
import { LoadTally, withSilenceLimit } from './load.ts'
import type { Client, LoadOptions, LoadResult } from './load.ts'

/** HTTP/1.1 over keep-alive sockets, as many as there are calls in flight. */
export class HttpClient implements Client {
  readonly #port: number
  readonly #wire: Wire
  readonly #connections: HttpConnection[] = []
  #sessionId: string | undefined
  #nextId = 1

  constructor(port: number, wire: Wire) {
    this.#port = port
    this.#wire = wire
  }

  async ask(request: RequestTemplate): Promise<string> {
    const { status, sessionId, body } = await this.#exchange(
      this.#toHead(request),
      request.toText(this.#nextId++),
    )
    if (status !== 200) throw new Error(`status ${status}: ${body.toString()}`)
    this.#sessionId ??= sessionId
    return body.toString()
  }

  async tell(text: string): Promise<void> {
    const { status, body } = await this.#exchange(this.#toHead(), text)
    if (status !== 202) throw new Error(`status ${status}: ${body.toString()}`)
  }

  /** Opens one session after the other and leaves each to itself. */
  async openSessions(greeting: RequestTemplate, count: number): Promise<void> {
    for (let opened = 0; opened < count; opened++) {
      this.#sessionId = undefined
      await this.ask(greeting)
      if (this.#sessionId === undefined) throw new Error('the server opened no session')
      await this.tell(INITIALIZED)
    }
  }

  load(options: LoadOptions): Promise<LoadResult> {
    const tally = new LoadTally(options, this.#nextId)
    const head = this.#toHead(options.request)
    let nextId = this.#nextId
    this.#nextId += options.calls
    return withSilenceLimit<LoadResult>((resolve, reject, touch) => {
      const begin = (connection: HttpConnection): void => {
        const text = tally.begin()
        if (text === undefined) {
          if (tally.inFlight === 0) resolve(tally.toResult())
          return
        }
        const id = nextId++
        connection.send(toRequest(head, text), (answer) => {
          if (answer instanceof Error) return reject(answer)
          if (answer.status !== 200) return reject(new Error(`status ${answer.status}`))
          try {
            tally.end(id, answer.body.length)
          } catch (error) {
            return reject(error)
          }
          touch()
          begin(connection)
        })
      }
      for (let at = 0; at < options.inFlight; at++) begin(this.#connection(at))
    })
  }

  close(): void {
    for (const connection of this.#connections) connection.close()
  }

  #connection(at: number): HttpConnection {
    return (this.#connections[at] ??= new HttpConnection(this.#port))
  }

  #exchange(head: string, body: string): Promise<HttpAnswer> {
    return withSilenceLimit((resolve, reject) => {
      this.#connection(0).send(toRequest(head, body), (answer) =>
        answer instanceof Error ? reject(answer) : resolve(answer),
      )
    })
  }

  #toHead(request?: RequestTemplate): string {
    const headers = [
      'POST /mcp HTTP/1.1',
      `host: 127.0.0.1:${this.#port}`,
      'content-type: application/json',
      'accept: application/json, text/event-stream',
      `mcp-protocol-version: ${this.#wire === '2026' ? MODERN_VERSION : LEGACY_VERSION}`,
    ]
    if (this.#sessionId !== undefined) headers.push(`mcp-session-id: ${this.#sessionId}`)
    if (this.#wire === '2026' && request !== undefined) {
      headers.push(`mcp-method: ${request.method}`)
      if (request.name !== undefined) headers.push(`mcp-name: ${request.name}`)
    }
    return `${headers.join('\r\n')}\r\ncontent-length: `
  }
}

function toRequest(head: string, body: string): string {
  return `${head}${Buffer.byteLength(body)}\r\n\r\n${body}`
}
