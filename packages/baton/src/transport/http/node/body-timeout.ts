import type { IncomingMessage, ServerResponse } from 'node:http'
import { ClientDisconnectedError } from '../client-disconnected-error.ts'

const streamedBodies = new WeakSet<IncomingMessage>()

/** Marks a body as streamed: then the timeout applies to each pause, not to the whole body. */
export function markStreamed(request: IncomingMessage): void {
  streamedBodies.add(request)
}

interface Progress {
  readonly since: number
  readonly bytesRead: number
}

/** Closes connections whose request body is not complete in time or, if it is streamed, makes no progress in time. */
export class BodyTimeout {
  readonly #limitMs: number
  readonly #progressByRequest = new WeakMap<IncomingMessage, Progress>()

  constructor(limitMs: number) {
    this.#limitMs = limitMs
  }

  /** Checks the requests that are being served; to be called regularly. */
  check(responses: Iterable<ServerResponse>, now: number): void {
    for (const response of responses) {
      if (!response.req.complete && !this.#hasTime(response.req, now)) close(response)
    }
  }

  #hasTime(request: IncomingMessage, now: number): boolean {
    const { bytesRead } = request.socket
    const before = this.#progressByRequest.get(request)
    const hasProgress = streamedBodies.has(request) && bytesRead !== before?.bytesRead
    if (before !== undefined && !hasProgress) return now - before.since < this.#limitMs
    this.#progressByRequest.set(request, { since: now, bytesRead })
    return true
  }
}

function close(response: ServerResponse): void {
  const { req: request } = response
  // Node detaches a request from its socket once it is answered, so a reader of its body would never get an error.
  request.socket.once('close', () => request.destroy(new ClientDisconnectedError()))
  if (!response.headersSent) response.writeHead(408, { connection: 'close' }).end()
  request.socket.destroySoon()
}
