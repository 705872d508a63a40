/** One serialised message on its way to the client, with what a transport must know to route it. */
export interface OutgoingFrame {
  readonly kind: 'response' | 'notification' | 'request'
  readonly text: string
  /** The JSON-RPC error code, if this is a response that carries an error. */
  readonly errorCode?: number
  /** True for messages that a client far behind does better without, such as log lines. */
  readonly droppable?: boolean
}

/** Where messages to the client go; each transport has its own. */
export interface Outlet {
  send(frame: OutgoingFrame): void
  /** Called instead of a response for a request that was cancelled. */
  withdraw?(): void
  /** Lets go of a client that waits for an answer but knows how to come back for it. */
  disconnect?(): void
}
