import { isJsonObject } from '../protocol/json-rpc.ts'
import type { JsonObject, RequestId } from '../protocol/json-rpc.ts'
import { parseMessage } from '../protocol/parse-message.ts'
import type { ConnectionOptions } from '../server/connection.ts'
import type { Server } from '../server/server.ts'

/** The client's end of a connection inside one process, for tests. */
export interface MemoryClient {
  /** Everything the server has sent so far, oldest first. */
  readonly received: readonly JsonObject[]
  /** Sends a message as text, so that it passes the same checks as on any other transport. */
  send(message: object | string): void
  /** Sends a request under a fresh id and waits for the whole response. */
  request(method: string, params?: object): Promise<JsonObject>
  /** Sends a notification. */
  notify(method: string, params?: object): void
  /** Waits for a message, sent before or after this call, that `matches`. */
  next(matches: (message: JsonObject) => boolean): Promise<JsonObject>
  /** Resolves when the server runs nothing for this client any more. */
  drained(): Promise<void>
  close(): void
}

/** Connects a client to a server without any bytes in between. */
export function connectInMemory(
  server: Server,
  options: Omit<ConnectionOptions, 'outlet'> = {},
): MemoryClient {
  const received: JsonObject[] = []
  const waiting = new Set<(message: JsonObject) => void>()
  const connection = server.connect({
    ...options,
    outlet: {
      send({ text }) {
        const message: unknown = JSON.parse(text)
        // A batch of responses arrives as one frame, but whoever waits waits for one of them.
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
