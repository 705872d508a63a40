/** One serialised message to the client, with the facts that a transport needs to route it. */
export interface OutgoingFrame {
  readonly kind: 'response' | 'notification' | 'request'
  readonly text: string
  /** The JSON-RPC error code, if this is an error response. */
  readonly errorCode?: number
  /** Whether the message may be dropped for a slow client, such as log and progress messages. */
  readonly droppable?: boolean
  /** Whether each process that serves the session sends this message, because each notices the change it reports. */
  readonly announces?: boolean
}

/** Receives messages to the client; implemented by each transport. */
export interface MessageSink {
  send(frame: OutgoingFrame): void
  /** Called instead of `send` for a request that was cancelled, which gets no response. */
  withdraw?(): void
  /** Closes the connection of a client that waits for a response but can resume the stream later. */
  disconnect?(): void
}
