import type { IncomingMessage, RequestMessage } from '../../protocol/json-rpc.ts'
import { BATCH_VERSION } from '../../protocol/version.ts'
import { isModern } from '../../server/call/envelope.ts'
import type { AdmittedRequest, EndpointParts } from './endpoint.ts'
import { acceptsSse } from './content-negotiation.ts'
import { SHUTTING_DOWN, toDenialAnswer, toErrorAnswer, toJsonAnswer } from './http-error.ts'
import type { HttpAnswer, HttpRequest } from './http-message.ts'
import { initialize } from './initialization.ts'
import { LegacyExchange } from './legacy-exchange.ts'
import type { LiveSession } from './live-session.ts'
import { ModernEndpoint } from './modern-endpoint.ts'
import { isPrimed, toPrimingText } from './priming.ts'
import { checkAccept, isAnswer, readMessage, toMessages, toOperations } from './read-message.ts'
import { serveSessionStream } from './session-stream.ts'
import { checkLegacyVersion, isModernVersion } from './version-header.ts'

/** The one endpoint of Streamable HTTP, for both eras. */
export class StreamableEndpoint {
  readonly #parts: EndpointParts
  readonly #modern: ModernEndpoint

  constructor(parts: EndpointParts) {
    this.#parts = parts
    this.#modern = new ModernEndpoint(parts)
  }

  async serve(admitted: AdmittedRequest): Promise<void> {
    const { method } = admitted.request
    if (method === 'POST') return this.#post(admitted)
    // Streams and sessions are things of the older revisions.
    const version = admitted.request.header('mcp-protocol-version') ?? undefined
    if (method === 'GET' && !isModernVersion(version)) return this.#get(admitted)
    if (method === 'DELETE' && !isModernVersion(version)) return this.#delete(admitted)
    admitted.reply.send(METHOD_NOT_ALLOWED)
  }

  finish(graceMs: number): Promise<void> {
    return this.#modern.finish(graceMs)
  }

  async #post(admitted: AdmittedRequest): Promise<void> {
    const { request, reply, principal } = admitted
    const { server, sessions, authenticator } = this.#parts
    const refusal = checkAccept(request)
    if (refusal !== undefined) return reply.send(refusal)
    const message = await readMessage(request, server.limits)
    if (isAnswer(message)) return reply.send(message)
    if (sessions.isFinishing) return reply.send(SHUTTING_DOWN)
    const denial = authenticator?.authorize(principal, toOperations(message))
    if (denial !== undefined) return reply.send(toDenialAnswer(denial))

    const claimedVersion = request.header('mcp-protocol-version') ?? undefined
    if (message.kind === 'request' && isModern(message.params, claimedVersion))
      return this.#modern.serve(message, admitted)
    if (message.kind === 'request' && message.method === 'initialize')
      return this.#initialize(message, admitted)
    // Without a session there is nothing that a notification could be about.
    if (isModernVersion(claimedVersion))
      return reply.send(message.kind === 'batch' ? NO_BATCHES : ACCEPTED)
    return this.#postToSession(message, admitted)
  }

  async #initialize(message: RequestMessage, { reply, principal }: AdmittedRequest): Promise<void> {
    const { server, sessions } = this.#parts
    const { text, state } = await initialize(server, message, principal)
    if (state === undefined) return reply.send(toJsonAnswer(text))
    const { id } = await sessions.create(principal.id, state)
    reply.send(toJsonAnswer(text, 200, { 'mcp-session-id': id }))
  }

  async #postToSession(message: IncomingMessage, admitted: AdmittedRequest): Promise<void> {
    const { store, streams, onError } = this.#parts
    const { reply, principal } = admitted
    const live = await this.#findSession(admitted)
    if (isHttpAnswer(live)) return reply.send(live)
    const { connection } = live
    const protocolVersion = connection.state?.protocolVersion ?? ''
    if (!isAnswered(message, protocolVersion)) {
      connection.receive(message, { principal })
      await live.saved
      return reply.send(ACCEPTED)
    }
    const exchange = new LegacyExchange({
      message,
      live,
      store,
      streams,
      reply,
      protocolVersion,
      expiresAt: principal.expiresAt,
      onError,
    })
    connection.receive(message, { outlet: exchange, principal })
  }

  async #get(admitted: AdmittedRequest): Promise<void> {
    const { request, reply } = admitted
    if (!acceptsSse(request.header('accept'))) return reply.send(MUST_ACCEPT_SSE)
    const live = await this.#findSession(admitted)
    if (isHttpAnswer(live)) return reply.send(live)
    const isAbleToResume = isPrimed(live.connection.state?.protocolVersion ?? '')
    return serveSessionStream(this.#parts, live, admitted, {
      lastEventId: request.header('last-event-id'),
      greet: (after) => (isAbleToResume ? toPrimingText(after) : undefined),
    })
  }

  async #delete({ request, reply, principal }: AdmittedRequest): Promise<void> {
    const id = readSessionId(request)
    if (typeof id !== 'string') return reply.send(id)
    const isTerminated = await this.#parts.sessions.terminate(id, principal.id)
    reply.send(isTerminated ? { status: 204 } : UNKNOWN_SESSION)
  }

  /** The caller's session that the request names, or the answer to a request that names none. */
  async #findSession({ request, principal }: AdmittedRequest): Promise<LiveSession | HttpAnswer> {
    const id = readSessionId(request)
    if (typeof id !== 'string') return id
    return (await this.#parts.sessions.find(id, principal.id)) ?? UNKNOWN_SESSION
  }
}

function readSessionId(request: HttpRequest): string | HttpAnswer {
  return checkLegacyVersion(request) ?? request.header('mcp-session-id') ?? NO_SESSION
}

/** Whether a frame gets more than a receipt: it asks for something, or something is wrong with it. */
function isAnswered(message: IncomingMessage, protocolVersion: string): boolean {
  if (message.kind === 'batch' && protocolVersion !== BATCH_VERSION) return true
  return toMessages(message).some(({ kind }) => kind === 'request' || kind === 'invalid')
}

const ACCEPTED: HttpAnswer = { status: 202 }

const NO_BATCHES = toErrorAnswer({ status: 400, message: 'batches are not supported' })

const METHOD_NOT_ALLOWED = toErrorAnswer({
  status: 405,
  message: 'method is not allowed',
  headers: { allow: 'GET, POST, DELETE' },
})

const MUST_ACCEPT_SSE = toErrorAnswer({
  status: 406,
  message: 'the client must accept text/event-stream',
})

const NO_SESSION = toErrorAnswer({ status: 400, message: 'header Mcp-Session-Id is missing' })

/** Also for a session of somebody else. The status makes clients begin anew instead of giving up. */
const UNKNOWN_SESSION = toErrorAnswer({ status: 404, message: 'session not found' })

function isHttpAnswer(value: LiveSession | HttpAnswer): value is HttpAnswer {
  return 'status' in value
}
