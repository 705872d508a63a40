import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Limits the number of open connections. When the limit is exceeded, the connection that has gone longest without a
 * complete request is closed, so clients that send partial requests or nothing cannot exhaust the limit. A connection
 * with a response in progress is never closed; if all are, the new connection is.
 */
export class ConnectionLimiter {
  readonly #maxOpen: number
  /** The response of each connection's last request, ordered by the time of that request, oldest first. */
  readonly #responsesBySocket = new Map<Socket, ServerResponse | undefined>()

  constructor(maxOpen: number) {
    this.#maxOpen = maxOpen
  }

  connectionOpened(socket: Socket): void {
    this.#responsesBySocket.set(socket, undefined)
    socket.once('close', () => this.#responsesBySocket.delete(socket))
    if (this.#responsesBySocket.size > this.#maxOpen) this.#closeOne()
  }

  /** To be called when the headers of a request have arrived. */
  requestStarted(response: ServerResponse): void {
    const { socket } = response.req
    // A request may arrive on a connection that was just closed here.
    if (this.#responsesBySocket.delete(socket)) this.#responsesBySocket.set(socket, response)
  }

  /** The response of each connection's last request. */
  *responses(): Iterable<ServerResponse> {
    for (const response of this.#responsesBySocket.values())
      if (response !== undefined) yield response
  }

  #closeOne(): void {
    for (const [socket, response] of this.#responsesBySocket) {
      if (response !== undefined && isInProgress(response)) continue
      this.#responsesBySocket.delete(socket)
      socket.destroy()
      return
    }
  }
}

/** A response that is complete but not read by its client does not count as in progress. */
function isInProgress({ req, writableEnded }: ServerResponse): boolean {
  return req.complete && !writableEnded
}
