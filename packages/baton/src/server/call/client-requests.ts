import type { RequestId, ResponseMessage } from '../../protocol/json-rpc.ts'
import type { MessageSink } from '../message-sink.ts'
import { toNotificationFrame, toRequestFrame } from '../reply.ts'

interface PendingRequest {
  resolve(result: unknown): void
  reject(error: Error): void
}

/** Where a request is sent, and the signal that cancels it. */
export interface RequestRoute {
  readonly sink: MessageSink
  readonly signal: AbortSignal
}

/** Pending requests from the server to a legacy client. */
export class ClientRequests {
  readonly #pendingById = new Map<RequestId, PendingRequest>()
  // Random, because a client may still answer requests of an earlier process of this server.
  #prefix: string | undefined
  #count = 0

  send(method: string, params: object | undefined, route: RequestRoute): Promise<unknown> {
    const { sink, signal } = route
    signal.throwIfAborted()
    this.#prefix ??= crypto.randomUUID()
    const id = `${this.#prefix}:${++this.#count}`
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#pendingById.delete(id)
        const reason = String((signal.reason as Error).message)
        sink.send(toNotificationFrame('notifications/cancelled', { requestId: id, reason }))
        reject(signal.reason as Error)
      }
      signal.addEventListener('abort', abort, { once: true })
      const settled = (): void => signal.removeEventListener('abort', abort)
      this.#pendingById.set(id, {
        resolve(result) {
          settled()
          resolve(result)
        },
        reject(error) {
          settled()
          reject(error)
        },
      })
      sink.send(toRequestFrame(id, method, params))
    })
  }

  /** Settles the request that a response belongs to; a response without a pending request is dropped. */
  settle({ id, result, error }: ResponseMessage): void {
    if (id === null) return
    const pending = this.#pendingById.get(id)
    this.#pendingById.delete(id)
    if (error === undefined) pending?.resolve(result)
    else pending?.reject(new Error(`the client responded with an error: ${error.message}`))
  }
}
