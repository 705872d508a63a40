import { toMessages } from '../../../protocol/json-rpc.ts'
import type { IncomingMessage, RequestMessage } from '../../../protocol/json-rpc.ts'
import { BATCH_VERSION } from '../../../protocol/version.ts'
import { isModern } from '../../../server/call/call.ts'
import type { AdmittedRequest, EndpointContext } from '../endpoint.ts'
import { acceptsSse } from './content-negotiation.ts'
import { SHUTTING_DOWN, toErrorAnswer, toJsonAnswer } from '../http-error.ts'
import type { HttpAnswer, HttpRequest } from '../http-message.ts'
import { initialize } from './initialization.ts'
import { LegacyResponse } from './legacy-response.ts'
import type { LiveSession } from '../session/live-session.ts'
import { ModernEndpoint } from './modern-endpoint.ts'
import { isPrimed, toPrimingText } from './priming.ts'
import { checkAccept, isAnswer, readMessage, toOperations } from './read-message.ts'
import { serveSessionStream } from '../session/session-stream.ts'
import { checkLegacyVersion, isModernVersion } from './version-header.ts'

/** The endpoint of Streamable HTTP, for both eras. */
export class StreamableEndpoint {
  readonly #context: EndpointContext
  readonly #modern: ModernEndpoint

  constructor(context: EndpointContext) {
    this.#context = context
    this.#modern = new ModernEndpoint(context)
  }

  async serve(admitted: AdmittedRequest): Promise<void> {
    const { method } = admitted.request
    if (method === 'POST') return this.#post(admitted)
    // Only legacy revisions have sessions and a GET stream.
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
    const { server, sessions, authenticator } = this.#context
    const refusal = checkAccept(request)
    if (refusal !== undefined) return reply.send(refusal)
    const message = await readMessage(request, server.limits)
    if (isAnswer(message)) return reply.send(message)
    if (sessions.isFinishing) return reply.send(toErrorAnswer(SHUTTING_DOWN))
    const denial = authenticator?.authorize(principal, toOperations(message))
    if (denial !== undefined) return reply.send(toErrorAnswer(denial))

    const claimedVersion = request.header('mcp-protocol-version') ?? undefined
    if (message.kind === 'request' && isModern(message.params, claimedVersion))
      return this.#modern.serve(message, admitted)
    if (message.kind === 'request' && message.method === 'initialize')
      return this.#initialize(message, admitted)
    // Without a session a notification has no effect.
    if (isModernVersion(claimedVersion))
      return reply.send(message.kind === 'batch' ? NO_BATCHES : ACCEPTED)
    return this.#postToSession(message, admitted)
  }

  async #initialize(message: RequestMessage, { reply, principal }: AdmittedRequest): Promise<void> {
    const { server, sessions } = this.#context
    const { text, state } = await initialize(server, message, principal)
    if (state === undefined) return reply.send(toJsonAnswer(text))
    const { id } = await sessions.create(principal.id, state)
    reply.send(toJsonAnswer(text, 200, { 'mcp-session-id': id }))
  }

  async #postToSession(message: IncomingMessage, admitted: AdmittedRequest): Promise<void> {
    const { store, streams, onError } = this.#context
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
    const response = new LegacyResponse({
      message,
      live,
      store,
      streams,
      reply,
      protocolVersion,
      expiresAt: principal.expiresAt,
      onError,
    })
    connection.receive(message, { sink: response, principal })
  }

  async #get(admitted: AdmittedRequest): Promise<void> {
    const { request, reply } = admitted
    if (!acceptsSse(request.header('accept'))) return reply.send(MUST_ACCEPT_SSE)
    const live = await this.#findSession(admitted)
    if (isHttpAnswer(live)) return reply.send(live)
    const canResume = isPrimed(live.connection.state?.protocolVersion ?? '')
    return serveSessionStream(this.#context, live, admitted, {
      lastEventId: request.header('last-event-id'),
      toPreamble: (after) => (canResume ? toPrimingText(after) : undefined),
    })
  }

  async #delete({ request, reply, principal }: AdmittedRequest): Promise<void> {
    const id = readSessionId(request)
    if (typeof id !== 'string') return reply.send(id)
    const isTerminated = await this.#context.sessions.terminate(id, principal.id)
    reply.send(isTerminated ? { status: 204 } : UNKNOWN_SESSION)
  }

  /** The caller's session, or the response that refuses the request. */
  async #findSession({ request, principal }: AdmittedRequest): Promise<LiveSession | HttpAnswer> {
    const id = readSessionId(request)
    if (typeof id !== 'string') return id
    return (await this.#context.sessions.find(id, principal.id)) ?? UNKNOWN_SESSION
  }
}

function readSessionId(request: HttpRequest): string | HttpAnswer {
  return checkLegacyVersion(request) ?? request.header('mcp-session-id') ?? NO_SESSION
}

/** Whether a frame gets a JSON-RPC response: it has a request or is invalid. Otherwise it is accepted with 202. */
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

/** Also for a session of another owner. A client initializes a new session after a 404. */
const UNKNOWN_SESSION = toErrorAnswer({ status: 404, message: 'session not found' })

function isHttpAnswer(value: LiveSession | HttpAnswer): value is HttpAnswer {
  return 'status' in value
}
