import { InFlight } from '../../../internal/in-flight.ts'
import { ProtocolError } from '../../../protocol/error.ts'
import type { RequestMessage } from '../../../protocol/json-rpc.ts'
import type { Connection } from '../../../server/connection.ts'
import { readModernEnvelope } from '../../../server/call/call.ts'
import type { AdmittedRequest, EndpointContext } from '../endpoint.ts'
import { toErrorAnswer } from '../http-error.ts'
import { ModernResponse } from './modern-response.ts'
import { checkRequestHeaders, checkVersionHeader } from './modern-headers.ts'

/** Serves stateless modern requests; each has its own connection. */
export class ModernEndpoint {
  readonly #context: EndpointContext
  readonly #connections = new InFlight<Connection>()

  constructor(context: EndpointContext) {
    this.#context = context
  }

  serve(message: RequestMessage, { request, reply, principal }: AdmittedRequest): void {
    const { server, streams, maxBacklog } = this.#context
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
    const response = new ModernResponse({
      reply,
      maxBacklog,
      onStream: (sink) => {
        const { expiresAt } = principal
        releaseStream = streams.add({ sink, expiresAt, end: () => response.abandon() })
      },
      onEnd: () => {
        releaseStream()
        leave()
        // Also after a response: a handler that is still running is told to stop.
        connection.close()
      },
    })
    const connection = server.connect({ sink: response, principal, transport: 'tcp' })
    const leave = this.#connections.add(connection)
    // In the modern era disconnecting cancels the request. The client may have disconnected already.
    reply.onDisconnect(() => response.abandon())
    connection.receive(message, { sink: response, principal, header })
  }

  /** Ends subscriptions and gives running requests time to finish. */
  async finish(graceMs: number): Promise<void> {
    await Promise.all([...this.#connections].map((connection) => connection.finish(graceMs)))
  }
}
