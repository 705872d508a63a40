import type { RequestId, ResponseMessage } from '../../protocol/json-rpc.ts'
import type { Outlet } from '../outlet.ts'
import { toNotificationFrame, toRequestFrame } from '../reply/frame-text.ts'

interface PendingRequest {
  resolve(result: unknown): void
  reject(error: Error): void
}

/** Where a request goes and when nobody waits for its answer any more. */
export interface RequestRoute {
  readonly outlet: Outlet
  readonly signal: AbortSignal
}

/** Requests from the server to a legacy client that wait for their answers. */
export class ClientRequests {
  readonly #pendingById = new Map<RequestId, PendingRequest>()
  // Random, because a client may still answer requests of a process that served it before.
  #prefix: string | undefined
  #count = 0

  send(method: string, params: object | undefined, route: RequestRoute): Promise<unknown> {
    const { outlet, signal } = route
    signal.throwIfAborted()
    this.#prefix ??= crypto.randomUUID()
    const id = `${this.#prefix}:${++this.#count}`
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#pendingById.delete(id)
        const reason = String((signal.reason as Error).message)
        outlet.send(toNotificationFrame('notifications/cancelled', { requestId: id, reason }))
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
      outlet.send(toRequestFrame(id, method, params))
    })
  }

  /** Hands an answer to whoever waits for it; one that nobody waits for is dropped. */
  settle({ id, result, error }: ResponseMessage): void {
    if (id === null) return
    const pending = this.#pendingById.get(id)
    this.#pendingById.delete(id)
    if (error === undefined) pending?.resolve(result)
    else pending?.reject(new Error(`the client answered with an error: ${error.message}`))
  }
}
