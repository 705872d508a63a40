/** A request, independent of the HTTP server. */
export interface HttpRequest {
  readonly method: string
  /** The path of the URL, without its query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly scheme: 'http' | 'https'
  /** A header by its lower-case name; repeated headers are joined with a comma. */
  header(name: string): string | null
  /** Reads the body; `undefined` as soon as it exceeds `maxBytes`. */
  readBody(maxBytes: number): Promise<Uint8Array | undefined>
  /** Streams the body with back-pressure; the consumer may stop early and still send a response. */
  streamBody(): AsyncIterable<Uint8Array>
}

/** A complete response. */
export interface HttpAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Text, or a stream of bytes with back-pressure; an error in the stream aborts the connection. */
  readonly body?: string | AsyncIterable<Uint8Array>
}

/** Sends the response; exactly one of `send` and `stream` is called, once. */
export interface HttpReply {
  /** Adds a header to the response. */
  setHeader(name: string, value: string): void
  send(answer: HttpAnswer): void
  /** Starts an event stream. */
  stream(): EventSink
  /** Calls the listener if the client disconnects before the response is complete. */
  onDisconnect(listener: () => void): void
}

/** Writes an event stream. */
export interface EventSink {
  /** Writes text; false if the writer should wait for `drained`. */
  write(text: string): boolean
  /** Resolves when the client has read enough, or has disconnected. */
  drained(): Promise<void>
  /** Bytes that the client has not read yet. */
  readonly backlog: number
  /** Whether nothing more can be written. */
  readonly closed: boolean
  end(): void
}
