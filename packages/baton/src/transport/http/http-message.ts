/** A request as the endpoints see it, whatever server took it in. */
export interface HttpRequest {
  readonly method: string
  /** The path of the URL, without its query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly scheme: 'http' | 'https'
  /** A header by its lower-case name; several of one name come joined by a comma. */
  header(name: string): string | null
  /** Reads the body, or gives up with `undefined` as soon as it is longer than allowed. */
  readBody(maxBytes: number): Promise<Uint8Array | undefined>
  /** The body piece by piece, as fast as it is taken; whoever wants no more may stop and still answer. */
  streamBody(): AsyncIterable<Uint8Array>
}

/** A complete answer. */
export interface HttpAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text, or bytes as fast as the client takes them. What fails on the way breaks the connection off. */
  readonly body?: string | AsyncIterable<Uint8Array>
}

/** The way back to the client; exactly one of `send` and `stream` is called, once. */
export interface HttpReply {
  /** Adds a header to whatever will be sent. */
  setHeader(name: string, value: string): void
  send(answer: HttpAnswer): void
  /** Begins an event stream. */
  stream(): EventSink
  /** Calls the listener when the client goes away before it has everything. */
  onGone(listener: () => void): void
}

/** The open end of an event stream. */
export interface EventSink {
  /** Hands over text; false when the client is behind and the writer should wait for `drained`. */
  write(text: string): boolean
  /** Resolves when the client has caught up or has gone. */
  drained(): Promise<void>
  /** Bytes that the client has not taken yet. */
  readonly backlog: number
  /** True once nothing more can be written. */
  readonly closed: boolean
  end(): void
}
