import { settledWithin } from '../internal/settled-within.ts'
import { ERROR_CODES, ProtocolError } from '../protocol/error.ts'
import { isRequestId } from '../protocol/json-rpc.ts'
import type {
  BatchMessage,
  IncomingMessage,
  NotificationMessage,
  RequestId,
  RequestMessage,
} from '../protocol/json-rpc.ts'
import { isLogged } from '../protocol/logging.ts'
import type { SubscriptionFilter } from '../protocol/subscription.ts'
import { BATCH_VERSION } from '../protocol/version.ts'
import type { SessionState } from '../session/session.ts'
import type { Principal } from './call-context.ts'
import { BatchOutlet } from './call/batch-outlet.ts'
import { CallQueue } from './call/call-queue.ts'
import { Call } from './call/call.ts'
import type { HeaderReader, TransportKind } from './call/call.ts'
import { ClientRequests } from './call/client-requests.ts'
import { isModern, legacyLogLevel, readModernEnvelope, toLegacyEnvelope } from './call/envelope.ts'
import type { Envelope } from './call/envelope.ts'
import { ListenStreams } from './call/listen-streams.ts'
import { toNotification } from './change.ts'
import type { Change } from './change.ts'
import { toPublicError } from './dispatch.ts'
import type { ConnectionPort } from './methods/method.ts'
import type { Outlet } from './outlet.ts'
import { toErrorFrame, toNotificationFrame } from './reply/frame-text.ts'
import { answerWithTask, runCall } from './run-call.ts'
import type { ServerRuntime } from './runtime.ts'
import type { RunningTask } from './task/running-task.ts'

/** What a transport tells about a client that it lets in. */
export interface ConnectionOptions {
  /** Where messages go that belong to no request, and all others unless their exchange says otherwise. */
  readonly outlet: Outlet
  /** The id of the legacy session that this connection serves, and what is known of it. */
  readonly session?: { readonly id: string; readonly state?: SessionState }
  readonly principal?: Principal
  /** What kind of wire this is; telemetry says it along. */
  readonly transport?: TransportKind
  /** Called when the legacy state changes, so that a store can keep it. */
  readonly onStateChange?: (state: SessionState) => void
}

/** What differs from message to message on a transport that has no single channel. */
export interface Exchange {
  readonly outlet?: Outlet
  readonly principal?: Principal
  /** The revision that the transport's own header names. */
  readonly claimedVersion?: string
  /** Reads a header by its lower-case name, on a transport where headers repeat parts of the body. */
  readonly header?: HeaderReader
}

const NO_EXCHANGE: Exchange = Object.freeze({})

/** For what was never begun, and may be sent again. */
const SHUTTING_DOWN = new ProtocolError(ERROR_CODES.busy, 'the server is shutting down')

/** For what was begun: nobody here knows how far it came, so that its client must not take it for never done. */
const STOPPED = new ProtocolError(
  ERROR_CODES.internalError,
  'the server stopped before it had an answer; the request may have taken effect, so look before repeating it',
)

/** How long requests get to answer that are told to stop; they know best what they have done. */
const LAST_WORDS_MS = 500

/** One client as the server sees it: takes messages in, sends answers through outlets. */
export class Connection implements ConnectionPort {
  readonly #runtime: ServerRuntime
  readonly #options: ConnectionOptions
  readonly #queue: CallQueue
  readonly #listenStreams = new ListenStreams()
  readonly #clientRequests = new ClientRequests()
  #state: SessionState | undefined
  #finishing = false
  #closed = false
  #why: ProtocolError | undefined

  constructor(runtime: ServerRuntime, options: ConnectionOptions) {
    this.#runtime = runtime
    this.#options = options
    this.#state = options.session?.state
    if (options.session !== undefined) runtime.connections.add(this)
    const runner = {
      run: (call: Call) => runCall(this.#runtime, call, this),
      timeOut: (call: Call) => this.#timeOut(call),
    }
    this.#queue = new CallQueue(runtime.limits, runner, runtime.places)
  }

  get state(): SessionState | undefined {
    return this.#state
  }

  setState(state: SessionState): void {
    this.#state = state
    // Only now can there be a change that this client hears of: a stateless request never gets here.
    if (!this.#closed) this.#runtime.connections.add(this)
    this.#options.onStateChange?.(state)
  }

  /** Takes one message; answers go out through the exchange's outlet, in the order they are ready. */
  receive(message: IncomingMessage, exchange: Exchange = NO_EXCHANGE): void {
    if (this.#closed) {
      if (this.#why !== undefined) this.#refuseLate(message, exchange, this.#why)
      return
    }
    switch (message.kind) {
      case 'request':
        this.#receiveRequest(message, exchange)
        break
      case 'notification':
        this.#receiveNotification(message)
        break
      case 'response':
        this.#clientRequests.settle(message)
        break
      case 'invalid':
        this.#refuse(message.id, new ProtocolError(message.code, message.reason), exchange)
        break
      case 'batch':
        this.#receiveBatch(message, exchange)
        break
    }
  }

  /** Stops a request without answering it; false if no request has this id. */
  cancel(id: RequestId, reason: string = 'cancelled by the client'): boolean {
    const call = this.#queue.get(id)
    if (call === undefined || call.settled) return false
    call.abandon(new Error(reason))
    this.#queue.release(call)
    this.#listenStreams.end(call)
    return true
  }

  listen(call: Call, filter: SubscriptionFilter): Promise<void> {
    // The client may have cancelled while the handler decided what it lets be watched.
    if (call.settled) return Promise.resolve()
    this.#queue.detach(call)
    this.#runtime.connections.add(this)
    return this.#listenStreams.open(call, filter)
  }

  /** Tells the client of a change, if it asked to hear of it. */
  publish(change: Change): void {
    this.#listenStreams.publish(change)
    // Tasks are for modern clients only, and these listen.
    if (this.#state?.initialized !== true || change.kind === 'task') return
    if (change.kind === 'resource' && !this.#state.subscriptions.includes(change.uri)) return
    if (change.kind === 'log' && !isLogged(change.message.level, legacyLogLevel(this.#state)))
      return
    const { method, params } = toNotification(change)
    this.#options.outlet.send(toNotificationFrame(method, params))
  }

  /** Tells the client of those among the resources it watches that were updated. */
  publishUpdates(isUpdated: (uri: string) => boolean): void {
    const subscribed = this.#state?.subscriptions ?? []
    for (const uri of new Set([...subscribed, ...this.#listenStreams.watched()]))
      if (isUpdated(uri)) this.publish({ kind: 'resource', uri })
  }

  /** Resolves when no handler is running. */
  drained(): Promise<void> {
    return this.#queue.drained()
  }

  /**
   * Takes no more requests, ends subscriptions, and gives running requests `graceMs` to finish. Those that have not are
   * told to stop; half a second later the ones that say nothing are answered for.
   */
  async finish(graceMs: number): Promise<void> {
    this.#finishing = true
    this.#listenStreams.endAll()
    await settledWithin(this.#queue.idle(), graceMs)
    // First, because each that stops would make room for one of these.
    for (const call of this.#queue.waiting()) this.#giveUp(call, SHUTTING_DOWN)
    for (const call of this.#queue.calls()) this.#stop(call, STOPPED)
    await settledWithin(this.#queue.idle(), LAST_WORDS_MS)
    for (const call of this.#queue.calls()) this.#giveUp(call, STOPPED)
    this.close(SHUTTING_DOWN)
  }

  /** Takes no more messages and stops whatever still runs; its client is told why, if there may be one to be told. */
  close(why?: ProtocolError): void {
    if (this.#closed) return
    this.#closed = true
    this.#why = why
    this.#runtime.connections.delete(this)
    for (const call of this.#queue.calls()) {
      if (why === undefined) this.cancel(call.requestId, 'the connection was closed')
      else this.#giveUp(call, why)
    }
    // Where every request has a connection of its own, timers would outlive them by the thousand.
    this.#queue.stopWatching()
  }

  #receiveRequest(request: RequestMessage, exchange: Exchange): void {
    if (this.#finishing) {
      this.#refuse(request.id, SHUTTING_DOWN, exchange)
      return
    }
    let envelope: Envelope
    try {
      envelope = this.#openEnvelope(request, exchange)
    } catch (error) {
      this.#refuse(request.id, toPublicError(error), exchange)
      return
    }
    const call = new Call(request, envelope, {
      outlet: exchange.outlet ?? this.#options.outlet,
      principal: exchange.principal ?? this.#options.principal,
      sessionId: this.#options.session?.id,
      transport: this.#options.transport,
      header: exchange.header,
      ask: (method, params, route) => this.#clientRequests.send(method, params, route),
      findByToken: (progressToken) => this.#queue.findByToken(progressToken),
      startTask: (taskCall, ticket) => this.#startTask(taskCall, ticket),
    })
    const admission = this.#queue.add(call)
    if (admission === 'accepted') return
    const error =
      admission === 'full'
        ? new ProtocolError(ERROR_CODES.busy, 'too many requests are waiting')
        : new ProtocolError(ERROR_CODES.invalidRequest, 'a request with this id is being served')
    this.#refuse(request.id, error, exchange)
  }

  #receiveBatch({ messages }: BatchMessage, exchange: Exchange): void {
    if (this.#state?.protocolVersion !== BATCH_VERSION) {
      const error = new ProtocolError(ERROR_CODES.invalidRequest, 'batches are not supported')
      this.#refuse(null, error, exchange)
      return
    }
    const expected = messages.filter(({ kind }) => kind === 'request' || kind === 'invalid').length
    const outlet = new BatchOutlet(exchange.outlet ?? this.#options.outlet, expected)
    for (const message of messages) {
      if (message.kind === 'request' && message.method === 'initialize') {
        const error = new ProtocolError(ERROR_CODES.invalidRequest, 'initialize must come alone')
        this.#refuse(message.id, error, { outlet })
      } else {
        this.receive(message, { ...exchange, outlet })
      }
    }
  }

  /** Answers what was on its way to a session that has just ended; a batch comes back here with each of its messages. */
  #refuseLate(message: IncomingMessage, exchange: Exchange, why: ProtocolError): void {
    if (message.kind === 'batch') this.#receiveBatch(message, exchange)
    else if (message.kind === 'request' || message.kind === 'invalid')
      this.#refuse(message.id, why, exchange)
  }

  #openEnvelope({ params }: RequestMessage, { claimedVersion }: Exchange): Envelope {
    if (isModern(params, claimedVersion)) return readModernEnvelope(params)
    return toLegacyEnvelope(params, this.#state)
  }

  #receiveNotification({ method, params }: NotificationMessage): void {
    if (method === 'notifications/cancelled') {
      const { requestId, reason } = params
      if (isRequestId(requestId))
        this.cancel(requestId, typeof reason === 'string' ? reason : undefined)
    } else if (method === 'notifications/initialized') {
      if (this.#state?.initialized === false) this.setState({ ...this.#state, initialized: true })
    }
  }

  async #startTask(call: Call, ticket: string | undefined): Promise<RunningTask> {
    const running = await answerWithTask(this.#runtime, call, ticket)
    this.#queue.detach(call)
    this.#queue.release(call)
    return running
  }

  #timeOut(call: Call): void {
    const message = `request took longer than ${this.#runtime.limits.requestMs} ms`
    this.#giveUp(call, new ProtocolError(ERROR_CODES.requestTimeout, message))
  }

  /** Stops a request and answers it with the reason. */
  #giveUp(call: Call, why: ProtocolError): void {
    call.answer(toErrorFrame(call.requestId, why))
    this.#queue.release(call)
    this.#stop(call, why)
  }

  /** Tells a request to stop; it may still answer. */
  #stop(call: Call, why: ProtocolError): void {
    call.abort(why)
    this.#listenStreams.end(call)
  }

  #refuse(id: RequestId | null, error: ProtocolError, { outlet }: Exchange): void {
    ;(outlet ?? this.#options.outlet).send(toErrorFrame(id, error))
  }
}
