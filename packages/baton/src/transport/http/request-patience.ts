import type { IncomingMessage, ServerResponse } from 'node:http'
import { ClientGoneError } from './client-gone-error.ts'

const streamed = new WeakSet<IncomingMessage>()

/** Says that a body is taken as it comes, however long that is: then only silence is held against its sender. */
export function markStreamed(request: IncomingMessage): void {
  streamed.add(request)
}

interface Progress {
  readonly since: number
  readonly bytesRead: number
}

/** Cuts whoever does not send all of a request in time; where the body is a stream, the next part of it. */
export class RequestPatience {
  readonly #limitMs: number
  readonly #progressByRequest = new WeakMap<IncomingMessage, Progress>()

  constructor(limitMs: number) {
    this.#limitMs = limitMs
  }

  /** Looks at the requests that are being served, at a time in milliseconds; to be called now and then. */
  check(responses: Iterable<ServerResponse>, now: number): void {
    for (const response of responses) {
      if (!response.req.complete && !this.#hasTime(response.req, now)) cut(response)
    }
  }

  #hasTime(request: IncomingMessage, now: number): boolean {
    const { bytesRead } = request.socket
    const before = this.#progressByRequest.get(request)
    const isFurther = streamed.has(request) && bytesRead !== before?.bytesRead
    if (before !== undefined && !isFurther) return now - before.since < this.#limitMs
    this.#progressByRequest.set(request, { since: now, bytesRead })
    return true
  }
}

function cut(response: ServerResponse): void {
  const { req: request } = response
  // Node forgets a request once it has its answer, so that whoever reads its body would never hear of the end.
  request.socket.once('close', () => request.destroy(new ClientGoneError()))
  if (!response.headersSent) response.writeHead(408, { connection: 'close' }).end()
  request.socket.destroySoon()
}
