import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Bounds how many connections are open. When all places are taken, the connection that has gone longest without a whole
 * request gives way to the next one: whoever sends half of a request, or nothing, waits in vain and not at the cost of
 * others. Whoever is being answered keeps its place, so a newcomer is turned away only where everybody is.
 */
export class ConnectionPlaces {
  readonly #places: number
  /** The last request of every open connection; those come first that have not asked for anything for the longest time. */
  readonly #answersBySocket = new Map<Socket, ServerResponse | undefined>()

  constructor(places: number) {
    this.#places = places
  }

  open(socket: Socket): void {
    this.#answersBySocket.set(socket, undefined)
    socket.once('close', () => this.#answersBySocket.delete(socket))
    if (this.#answersBySocket.size > this.#places) this.#cutOne()
  }

  /** The headers of a request have come. */
  ask(response: ServerResponse): void {
    const { socket } = response.req
    // A connection that was cut may have had a request on its way.
    if (this.#answersBySocket.delete(socket)) this.#answersBySocket.set(socket, response)
  }

  /** The last answer of every connection that has asked for one. */
  *answers(): Iterable<ServerResponse> {
    for (const response of this.#answersBySocket.values())
      if (response !== undefined) yield response
  }

  #cutOne(): void {
    for (const [socket, response] of this.#answersBySocket) {
      if (response !== undefined && isBeingAnswered(response)) continue
      this.#answersBySocket.delete(socket)
      socket.destroy()
      return
    }
  }
}

/** A client that does not fetch an answer that is ready has no claim to its place either. */
function isBeingAnswered({ req, writableEnded }: ServerResponse): boolean {
  return req.complete && !writableEnded
}
