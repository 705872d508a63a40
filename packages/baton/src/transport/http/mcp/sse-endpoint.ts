import type { AdmittedRequest, EndpointContext } from '../endpoint.ts'
import { SHUTTING_DOWN, toErrorAnswer } from '../http-error.ts'
import type { HttpAnswer } from '../http-message.ts'
import { type LiveSession, NOT_NEGOTIATED } from '../session/live-session.ts'
import { isAnswer, readMessage, toOperations } from './read-message.ts'
import { serveSessionStream } from '../session/session-stream.ts'
import { toSseText } from '../session/sse-event.ts'

/** The query parameter with the session id. */
const SESSION_PARAMETER = 'sessionId'

/** Path suffixes of the stream and of posted messages. */
export const SSE_PATH = '/sse'
export const MESSAGE_PATH = '/message'

/** The HTTP+SSE transport of 2024-11-05: one stream per session with all responses, and a second path for messages. */
export class SseEndpoint {
  readonly #context: EndpointContext

  constructor(context: EndpointContext) {
    this.#context = context
  }

  /** Opens the stream of a new session, or resumes the stream of a session whose connection broke. */
  async stream(admitted: AdmittedRequest): Promise<void> {
    const { request, reply, principal } = admitted
    if (request.method !== 'GET') return reply.send(onlyAllow('GET'))
    const { sessions } = this.#context
    const id = request.query.get(SESSION_PARAMETER)
    const lastEventId = request.header('last-event-id')
    const known =
      id === null
        ? await this.#findByEvent(lastEventId, principal.id)
        : await sessions.find(id, principal.id)
    if (known === undefined && id !== null) return reply.send(UNKNOWN_SESSION)
    const live = known ?? (await sessions.create(principal.id, NOT_NEGOTIATED))
    const data = toMessageUri(request.path, live.id)
    await serveSessionStream(this.#context, live, admitted, {
      lastEventId: known === undefined ? null : lastEventId,
      // With an id, so that a client that loses the connection before the first message can resume.
      toPreamble: (after) => toSseText({ event: 'endpoint', id: after, data }),
    })
  }

  /** Clients reconnect to the URL without a session id, so the session is found by the last event id. */
  async #findByEvent(eventId: string | null, owner: string): Promise<LiveSession | undefined> {
    return eventId === null ? undefined : await this.#context.sessions.findByEvent(eventId, owner)
  }

  /** Accepts a message; its response is sent on the stream. */
  async message(admitted: AdmittedRequest): Promise<void> {
    const { request, reply, principal } = admitted
    if (request.method !== 'POST') return reply.send(onlyAllow('POST'))
    const live = await this.#findSession(admitted)
    if (live === undefined) return reply.send(UNKNOWN_SESSION)
    const { server, sessions, authenticator } = this.#context
    const message = await readMessage(request, server.limits)
    if (isAnswer(message)) return reply.send(message)
    if (sessions.isFinishing) return reply.send(toErrorAnswer(SHUTTING_DOWN))
    const denial = authenticator?.authorize(principal, toOperations(message))
    if (denial !== undefined) return reply.send(toErrorAnswer(denial))
    live.connection.receive(message, { principal })
    await live.saved
    reply.send({ status: 202 })
  }

  async #findSession({ request, principal }: AdmittedRequest): Promise<LiveSession | undefined> {
    const id = request.query.get(SESSION_PARAMETER)
    return id === null ? undefined : await this.#context.sessions.find(id, principal.id)
  }
}

/** Built from the path of the request, so that it is right under any mount path. */
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
