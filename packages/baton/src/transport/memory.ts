import { isJsonObject, parseMessage } from '../protocol/json-rpc.ts'
import type { JsonObject, RequestId } from '../protocol/json-rpc.ts'
import type { ConnectionOptions } from '../server/connection.ts'
import type { Server } from '../server/server.ts'

/** A client in the same process, for tests. */
export interface MemoryClient {
  /** All messages from the server, oldest first. */
  readonly received: readonly JsonObject[]
  /** Sends a message as text, so that it is parsed and checked as on any other transport. */
  send(message: object | string): void
  /** Sends a request with a new id and resolves to the whole response. */
  request(method: string, params?: object): Promise<JsonObject>
  /** Sends a notification. */
  notify(method: string, params?: object): void
  /** Resolves to the first message that `matches`, whether it was received before or comes later. */
  next(matches: (message: JsonObject) => boolean): Promise<JsonObject>
  /** Resolves when the server runs no more calls of this client. */
  drained(): Promise<void>
  close(): void
}

/** Connects a client to a server in the same process. */
export function connectInMemory(
  server: Server,
  options: Omit<ConnectionOptions, 'sink'> = {},
): MemoryClient {
  const received: JsonObject[] = []
  const waiting = new Set<(message: JsonObject) => void>()
  const connection = server.connect({
    ...options,
    sink: {
      send({ text }) {
        const message: unknown = JSON.parse(text)
        // A batch of responses is one frame, but each of them is awaited separately.
        for (const one of Array.isArray(message) ? message : [message]) {
          if (!isJsonObject(one)) continue
          received.push(one)
          for (const offer of waiting) offer(one)
        }
      },
    },
  })

  const client: MemoryClient = {
    received,
    send(message) {
      const text = typeof message === 'string' ? message : JSON.stringify(message)
      connection.receive(parseMessage(text, server.limits.depth))
    },
    request(method, params) {
      const id: RequestId = `memory-${crypto.randomUUID()}`
      client.send({ jsonrpc: '2.0', id, method, params })
      return client.next((message) => message['id'] === id && !('method' in message))
    },
    notify: (method, params) => client.send({ jsonrpc: '2.0', method, params }),
    next(matches) {
      const known = received.find(matches)
      if (known !== undefined) return Promise.resolve(known)
      return new Promise((resolve) => {
        waiting.add(function offer(message) {
          if (!matches(message)) return
          waiting.delete(offer)
          resolve(message)
        })
      })
    },
    drained: () => connection.drained(),
    close: () => connection.close(),
  }
  return client
}
