import { TransitSet } from '../../internal/transit-set.ts'
import { ProtocolError } from '../../protocol/error.ts'
import type { RequestMessage } from '../../protocol/json-rpc.ts'
import type { Connection } from '../../server/connection.ts'
import { readModernEnvelope } from '../../server/call/envelope.ts'
import type { AdmittedRequest, EndpointParts } from './endpoint.ts'
import { toErrorAnswer } from './http-error.ts'
import { ModernExchange } from './modern-exchange.ts'
import { checkRequestHeaders, checkVersionHeader } from './modern-headers.ts'

/** Serves requests that carry everything in themselves; each gets a connection of its own. */
export class ModernEndpoint {
  readonly #parts: EndpointParts
  readonly #connections = new TransitSet<Connection>()

  constructor(parts: EndpointParts) {
    this.#parts = parts
  }

  serve(message: RequestMessage, { request, reply, principal }: AdmittedRequest): void {
    const { server, streams, maxBacklog } = this.#parts
    const header = (name: string): string | null => request.header(name)
    try {
      checkVersionHeader(message, header)
      readModernEnvelope(message.params)
      checkRequestHeaders(message, header)
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      const { code, data } = error
      reply.send(toErrorAnswer({ status: 400, message: error.message, code, data, id: message.id }))
      return
    }

    let releaseStream = (): void => {}
    const exchange = new ModernExchange({
      reply,
      maxBacklog,
      onStream: (sink) => {
        const { expiresAt } = principal
        releaseStream = streams.add({ sink, expiresAt, end: () => exchange.abandon() })
      },
      onEnd: () => {
        releaseStream()
        leave()
        // Also when it was answered: a handler that has not stopped yet is told to.
        connection.close()
      },
    })
    const connection = server.connect({ outlet: exchange, principal, transport: 'tcp' })
    const leave = this.#connections.add(connection)
    // In this era a client that hangs up has cancelled. It may have done so already.
    reply.onGone(() => exchange.abandon())
    connection.receive(message, { outlet: exchange, principal, header })
  }

  /** Takes no more requests, ends subscriptions and gives running requests time to finish. */
  async finish(graceMs: number): Promise<void> {
    await Promise.all([...this.#connections].map((connection) => connection.finish(graceMs)))
  }
}
