import type { AdmittedRequest, EndpointParts } from './endpoint.ts'
import { SHUTTING_DOWN, toDenialAnswer, toErrorAnswer } from './http-error.ts'
import type { HttpAnswer } from './http-message.ts'
import { type LiveSession, NOTHING_AGREED } from './live-session.ts'
import { isAnswer, readMessage, toOperations } from './read-message.ts'
import { serveSessionStream } from './session-stream.ts'
import { toSseText } from './sse-event.ts'

/** The parameter under which clients of this transport name their session. */
const SESSION_PARAMETER = 'sessionId'

/** The path that messages are posted to, next to the one that the stream is read from. */
export const SSE_PATH = '/sse'
export const MESSAGE_PATH = '/message'

/** The transport of 2024-11-05: one stream per session that carries every answer, and a second path for messages. */
export class SseEndpoint {
  readonly #parts: EndpointParts

  constructor(parts: EndpointParts) {
    this.#parts = parts
  }

  /** Opens the stream of a new session, or again that of one whose connection broke. */
  async stream(admitted: AdmittedRequest): Promise<void> {
    const { request, reply, principal } = admitted
    if (request.method !== 'GET') return reply.send(onlyAllow('GET'))
    const { sessions } = this.#parts
    const id = request.query.get(SESSION_PARAMETER)
    const lastEventId = request.header('last-event-id')
    const known =
      id === null
        ? await this.#findByEvent(lastEventId, principal.id)
        : await sessions.find(id, principal.id)
    if (known === undefined && id !== null) return reply.send(UNKNOWN_SESSION)
    const live = known ?? (await sessions.create(principal.id, NOTHING_AGREED))
    const data = toMessageUri(request.path, live.id)
    await serveSessionStream(this.#parts, live, admitted, {
      lastEventId: known === undefined ? null : lastEventId,
      // With an id, which is all that a client brings back that lost the connection before the first message.
      greet: (after) => toSseText({ event: 'endpoint', id: after, data }),
    })
  }

  /** Clients reconnect to the address that they first opened, where they can only be known by what they heard last. */
  async #findByEvent(eventId: string | null, owner: string): Promise<LiveSession | undefined> {
    return eventId === null ? undefined : await this.#parts.sessions.findByEvent(eventId, owner)
  }

  /** Takes a message; its answer goes out on the stream. */
  async message(admitted: AdmittedRequest): Promise<void> {
    const { request, reply, principal } = admitted
    if (request.method !== 'POST') return reply.send(onlyAllow('POST'))
    const live = await this.#findSession(admitted)
    if (live === undefined) return reply.send(UNKNOWN_SESSION)
    const { server, sessions, authenticator } = this.#parts
    const message = await readMessage(request, server.limits)
    if (isAnswer(message)) return reply.send(message)
    if (sessions.isFinishing) return reply.send(SHUTTING_DOWN)
    const denial = authenticator?.authorize(principal, toOperations(message))
    if (denial !== undefined) return reply.send(toDenialAnswer(denial))
    live.connection.receive(message, { principal })
    await live.saved
    reply.send({ status: 202 })
  }

  async #findSession({ request, principal }: AdmittedRequest): Promise<LiveSession | undefined> {
    const id = request.query.get(SESSION_PARAMETER)
    return id === null ? undefined : await this.#parts.sessions.find(id, principal.id)
  }
}

/** Built from the path that the client used, so that it is right wherever the application has put us. */
function toMessageUri(streamPath: string, sessionId: string): string {
  const mount = streamPath.endsWith(SSE_PATH) ? streamPath.slice(0, -SSE_PATH.length) : streamPath
  return `${mount}${MESSAGE_PATH}?${SESSION_PARAMETER}=${sessionId}`
}

const UNKNOWN_SESSION = toErrorAnswer({ status: 404, message: 'session not found' })

function onlyAllow(method: string): HttpAnswer {
  return toErrorAnswer({
    status: 405,
    message: 'method is not allowed',
    headers: { allow: method },
  })
}
