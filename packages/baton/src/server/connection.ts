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
import { isLogged } from '../protocol/server-features/logging.ts'
import type { SubscriptionFilter } from '../protocol/subscription.ts'
import { BATCH_VERSION } from '../protocol/version.ts'
import type { SessionIdentity, SessionState } from '../session/session.ts'
import type { Principal } from './call-context.ts'
import { BatchSink } from './call/batch-sink.ts'
import { CallQueue } from './call/call-queue.ts'
import { Call } from './call/call.ts'
import type { HeaderReader, TransportKind } from './call/call.ts'
import { ClientRequests } from './call/client-requests.ts'
import { isModern, legacyLogLevel, readModernEnvelope, toLegacyEnvelope } from './call/call.ts'
import type { Envelope } from './call/call.ts'
import { ListenStreams } from './call/listen-streams.ts'
import { toNotification } from './change.ts'
import type { Change } from './change.ts'
import { answerWithTask, runCall, toPublicError } from './dispatch.ts'
import type { ConnectionPort } from './methods/method.ts'
import type { MessageSink } from './message-sink.ts'
import { toErrorFrame, toNotificationFrame } from './reply.ts'
import type { ServerRuntime } from './runtime.ts'
import type { RunningTask } from './task/running-task.ts'

/** What a transport knows about a new client. */
export interface ConnectionOptions {
  /** Gets messages that belong to no request, and responses unless their request has its own sink. */
  readonly sink: MessageSink
  /** The id and state of the legacy session that this connection serves. */
  readonly session?: SessionIdentity & { readonly state?: SessionState }
  readonly principal?: Principal
  /** The value of the telemetry attribute `network.transport`. */
  readonly transport?: TransportKind
  /** Called when the legacy session state changes, so that a store can save it. */
  readonly onStateChange?: (state: SessionState) => void
}

/** Options of one message, for transports where each request has its own response channel. */
export interface RequestOptions {
  readonly sink?: MessageSink
  readonly principal?: Principal
  /** The protocol version in the transport's header. */
  readonly claimedVersion?: string
  /** Reads a header by its lower-case name, on a transport where headers repeat parts of the body. */
  readonly header?: HeaderReader
}

const NO_OPTIONS: RequestOptions = Object.freeze({})

/** For requests that were not started, and may be retried. */
const SHUTTING_DOWN = new ProtocolError(ERROR_CODES.busy, 'the server is shutting down')

/** For requests that were started: they may have taken effect, so the client must not retry blindly. */
const STOPPED = new ProtocolError(
  ERROR_CODES.internalError,
  'the server stopped before the request was answered; it may have taken effect, check before retrying',
)

/** How long aborted handlers have to respond, because only they know how far they got. */
const ABORT_GRACE_MS = 500

/** One client: receives messages, runs them as calls and sends responses to sinks. */
export class Connection implements ConnectionPort {
  readonly #runtime: ServerRuntime
  readonly #options: ConnectionOptions
  readonly #queue: CallQueue
  // Created on first use, because most connections have none.
  #listenStreams: ListenStreams | undefined
  #clientRequests: ClientRequests | undefined
  #state: SessionState | undefined
  #finishing = false
  #closed = false
  #closeReason: ProtocolError | undefined

  constructor(runtime: ServerRuntime, options: ConnectionOptions) {
    this.#runtime = runtime
    this.#options = options
    this.#state = options.session?.state
    if (options.session !== undefined) runtime.connections.add(this)
    const runner = {
      run: (call: Call) => runCall(this.#runtime, call, this),
      timeOut: (call: Call) => this.#timeOut(call),
    }
    this.#queue = new CallQueue(runtime.limits, runner, runtime.concurrency)
  }

  get state(): SessionState | undefined {
    return this.#state
  }

  setState(state: SessionState): void {
    this.#state = state
    // Registered here because only stateful clients get notifications; a stateless request never sets a state.
    if (!this.#closed) this.#runtime.connections.add(this)
    this.#options.onStateChange?.(state)
  }

  /** Handles one message; responses are sent to the sink of the request, in the order in which they are ready. */
  receive(message: IncomingMessage, options: RequestOptions = NO_OPTIONS): void {
    if (this.#closed) {
      if (this.#closeReason !== undefined) this.#refuseLate(message, options, this.#closeReason)
      return
    }
    switch (message.kind) {
      case 'request':
        this.#receiveRequest(message, options)
        break
      case 'notification':
        this.#receiveNotification(message)
        break
      case 'response':
        this.#clientRequests?.settle(message)
        break
      case 'invalid':
        this.#refuse(message.id, new ProtocolError(message.code, message.reason), options)
        break
      case 'batch':
        this.#receiveBatch(message, options)
        break
    }
  }

  /** Cancels a request without answering it; false if no request has this id. */
  cancel(id: RequestId, reason: string = 'cancelled by the client'): boolean {
    const call = this.#queue.get(id)
    if (call === undefined || call.settled) return false
    call.abandon(new Error(reason))
    this.#queue.release(call)
    this.#listenStreams?.end(call)
    return true
  }

  listen(call: Call, filter: SubscriptionFilter): Promise<void> {
    // The client may have cancelled while the handler checked the subscriptions.
    if (call.settled) return Promise.resolve()
    this.#queue.detach(call)
    this.#runtime.connections.add(this)
    this.#listenStreams ??= new ListenStreams()
    return this.#listenStreams.open(call, filter)
  }

  /** Notifies the client of a change, if it subscribed to it. */
  publish(change: Change): void {
    this.#listenStreams?.publish(change)
    // Task notifications are for modern clients only, which get them on listen streams.
    if (this.#state?.initialized !== true || change.kind === 'task') return
    if (change.kind === 'resource' && !this.#state.subscriptions.includes(change.uri)) return
    if (change.kind === 'log' && !isLogged(change.message.level, legacyLogLevel(this.#state)))
      return
    const { method, params } = toNotification(change)
    this.#options.sink.send({ ...toNotificationFrame(method, params), announces: true })
  }

  /** Notifies the client of those of its subscribed resources that were updated. */
  publishUpdates(isUpdated: (uri: string) => boolean): void {
    const subscribed = this.#state?.subscriptions ?? []
    for (const uri of new Set([...subscribed, ...(this.#listenStreams?.watched() ?? [])]))
      if (isUpdated(uri)) this.publish({ kind: 'resource', uri })
  }

  /** Resolves when no handler is running. */
  drained(): Promise<void> {
    return this.#queue.drained()
  }

  /**
   * Refuses new requests, ends subscriptions, and gives running requests `graceMs` to finish. Then the others are aborted,
   * and half a second later those without a response are answered with an error.
   */
  async finish(graceMs: number): Promise<void> {
    this.#finishing = true
    this.#listenStreams?.endAll()
    await settledWithin(this.#queue.idle(), graceMs)
    // Waiting calls first: each call that stops would otherwise start one of them.
    for (const call of this.#queue.waiting()) this.#abortWith(call, SHUTTING_DOWN)
    for (const call of this.#queue.calls()) this.#stop(call, STOPPED)
    await settledWithin(this.#queue.idle(), ABORT_GRACE_MS)
    for (const call of this.#queue.calls()) this.#abortWith(call, STOPPED)
    this.close(SHUTTING_DOWN)
  }

  /** Stops all calls and refuses further messages. With a reason, calls are answered with it; else they are cancelled. */
  close(reason?: ProtocolError): void {
    if (this.#closed) return
    this.#closed = true
    this.#closeReason = reason
    this.#runtime.connections.delete(this)
    for (const call of this.#queue.calls()) {
      if (reason === undefined) this.cancel(call.requestId, 'the connection was closed')
      else this.#abortWith(call, reason)
    }
    // Where each request has its own connection, thousands of timers would otherwise stay behind.
    this.#queue.stopTimer()
  }

  #receiveRequest(request: RequestMessage, options: RequestOptions): void {
    if (this.#finishing) {
      this.#refuse(request.id, SHUTTING_DOWN, options)
      return
    }
    let envelope: Envelope
    try {
      envelope = this.#openEnvelope(request, options)
    } catch (error) {
      this.#refuse(request.id, toPublicError(error), options)
      return
    }
    const call = new Call(request, envelope, {
      sink: options.sink ?? this.#options.sink,
      principal: options.principal ?? this.#options.principal,
      session: this.#options.session,
      transport: this.#options.transport,
      header: options.header,
      ask: (method, params, route) =>
        (this.#clientRequests ??= new ClientRequests()).send(method, params, route),
      findByToken: (progressToken) => this.#queue.findByToken(progressToken),
      startTask: (taskCall, ticket) => this.#startTask(taskCall, ticket),
    })
    const admission = this.#queue.add(call)
    if (admission === 'accepted') return
    const error =
      admission === 'full'
        ? new ProtocolError(ERROR_CODES.busy, 'too many requests are waiting')
        : new ProtocolError(ERROR_CODES.invalidRequest, 'a request with this id is being served')
    this.#refuse(request.id, error, options)
  }

  #receiveBatch({ messages }: BatchMessage, options: RequestOptions): void {
    if (this.#state?.protocolVersion !== BATCH_VERSION) {
      const error = new ProtocolError(ERROR_CODES.invalidRequest, 'batches are not supported')
      this.#refuse(null, error, options)
      return
    }
    const expected = messages.filter(({ kind }) => kind === 'request' || kind === 'invalid').length
    const sink = new BatchSink(options.sink ?? this.#options.sink, expected)
    for (const message of messages) {
      if (message.kind === 'request' && message.method === 'initialize') {
        const error = new ProtocolError(ERROR_CODES.invalidRequest, 'initialize must come alone')
        this.#refuse(message.id, error, { sink })
      } else {
        this.receive(message, { ...options, sink })
      }
    }
  }

  /** Answers messages that arrive after the connection was closed; a batch comes back here message by message. */
  #refuseLate(message: IncomingMessage, options: RequestOptions, reason: ProtocolError): void {
    if (message.kind === 'batch') this.#receiveBatch(message, options)
    else if (message.kind === 'request' || message.kind === 'invalid')
      this.#refuse(message.id, reason, options)
  }

  #openEnvelope({ params }: RequestMessage, { claimedVersion }: RequestOptions): Envelope {
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
    this.#abortWith(call, new ProtocolError(ERROR_CODES.requestTimeout, message))
  }

  /** Stops a call and answers it with the reason. */
  #abortWith(call: Call, reason: ProtocolError): void {
    call.answer(toErrorFrame(call.requestId, reason))
    this.#queue.release(call)
    this.#stop(call, reason)
  }

  /** Tells a call to stop; it may still be answered. */
  #stop(call: Call, reason: ProtocolError): void {
    call.abort(reason)
    this.#listenStreams?.end(call)
  }

  #refuse(id: RequestId | null, error: ProtocolError, { sink }: RequestOptions): void {
    ;(sink ?? this.#options.sink).send(toErrorFrame(id, error))
  }
}
