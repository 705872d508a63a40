import { ANONYMOUS_ID } from '../../auth/principal.ts'
import type { JsonObject, RequestId, RequestMessage } from '../../protocol/json-rpc.ts'
import type { SessionIdentity } from '../../session/session.ts'
import type { CallContext, Principal } from '../call-context.ts'
import { DirectChannel } from '../input/direct-channel.ts'
import type { InputChannel } from '../input/input-channel.ts'
import { RoundChannel } from '../input/round-channel.ts'
import type { OutgoingFrame, MessageSink } from '../message-sink.ts'
import { toNotificationFrame } from '../reply.ts'
import type { RunningTask } from '../task/running-task.ts'
import type { RequestRoute } from './client-requests.ts'
import { HandlerContext } from './handler-context.ts'
import type { ClientCapabilities } from '../../protocol/capability.ts'
import { ERROR_CODES, invalidParams, ProtocolError } from '../../protocol/error.ts'
import type { Implementation } from '../../protocol/implementation.ts'
import { isJsonObject } from '../../protocol/json-rpc.ts'
import { isLogLevel } from '../../protocol/server-features/logging.ts'
import type { LogLevel } from '../../protocol/server-features/logging.ts'
import { META_KEYS } from '../../protocol/meta.ts'
import type { Meta } from '../../protocol/meta.ts'
import { MODERN_VERSIONS, NEWEST_LEGACY_VERSION } from '../../protocol/version.ts'
import type { Era } from '../../protocol/version.ts'
import type { SessionState } from '../../session/session.ts'

/** The value of the telemetry attribute `network.transport`. */
export type TransportKind = 'pipe' | 'tcp' | 'unix'

/** Reads a header by its lower-case name. */
export type HeaderReader = (name: string) => string | null

/** The connection of a call as the call sees it: where its messages go, who sent it, and what it may request. */
export interface CallOrigin {
  readonly sink: MessageSink
  readonly principal: Principal | undefined
  readonly session: SessionIdentity | undefined
  readonly transport: TransportKind | undefined
  readonly header: HeaderReader | undefined
  /** Sends a request to a legacy client. */
  ask(method: string, params: object | undefined, route: RequestRoute): Promise<unknown>
  /** The oldest running call with this progress token. */
  findByToken(progressToken: string | number): Call | undefined
  /** Answers a call with a task, as which it continues. */
  startTask(call: Call, ticket: string | undefined): Promise<RunningTask>
}

/** One request, from its arrival to its response. */
export class Call {
  readonly requestId: RequestId
  readonly method: string
  readonly params: JsonObject
  readonly envelope: Envelope
  readonly #origin: CallOrigin
  // Created on first use, because most calls need neither signal nor context.
  #controller: AbortController | undefined
  #context: HandlerContext | undefined
  #channel: InputChannel | undefined
  #abortReason: Error | undefined
  #task: RunningTask | undefined
  #settled = false
  #clock: number = performance.now()
  #waitingFor = 0

  constructor(request: RequestMessage, envelope: Envelope, origin: CallOrigin) {
    this.requestId = request.id
    this.method = request.method
    this.params = request.params
    this.envelope = envelope
    this.#origin = origin
  }

  get era(): Envelope['era'] {
    return this.envelope.era
  }

  /** The legacy session; modern requests have none, even on a connection that has one. */
  get session(): SessionIdentity | undefined {
    return this.era === 'legacy' ? this.#origin.session : undefined
  }

  get principal(): Principal | undefined {
    return this.#origin.principal
  }

  /** The transport of the call, for telemetry. */
  get transport(): TransportKind | undefined {
    return this.#origin.transport
  }

  /** Reads the request headers; undefined on transports whose headers do not repeat parts of the body. */
  get header(): HeaderReader | undefined {
    return this.#origin.header
  }

  /** Owner of the tasks and state that this call creates. */
  get owner(): string {
    return this.principal?.id ?? ANONYMOUS_ID
  }

  /** The context that the handler gets. */
  get context(): CallContext {
    this.#context ??= new HandlerContext(this)
    return this.#context
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason)
    }
    return this.#controller.signal
  }

  /** Whether the handler was told to stop. */
  get isAborted(): boolean {
    return this.#abortReason !== undefined
  }

  /** Whether the request was answered, or abandoned without an answer. */
  get settled(): boolean {
    return this.#settled
  }

  /** The task that the call has become. */
  get task(): RunningTask | undefined {
    return this.#task
  }

  /** Milliseconds the call has taken, without the time it waited for its client. */
  elapsed(now: number): number {
    return this.#waitingFor > 0 ? 0 : now - this.#clock
  }

  /** Settles the call with a response; false if it was settled before, and nothing is sent. */
  answer(frame: OutgoingFrame): boolean {
    if (this.#settled) return false
    this.#settled = true
    this.#origin.sink.send(frame)
    return true
  }

  /** Settles the call without a response and tells its handler to stop. */
  abandon(reason: Error): void {
    if (!this.#settled) this.#origin.sink.withdraw?.()
    this.#settled = true
    this.abort(reason)
  }

  /** Tells the handler to stop. */
  abort(reason: Error): void {
    this.#abortReason ??= reason
    this.#controller?.abort(this.#abortReason)
  }

  /** Tells the handler to stop when the time is over. */
  limit(milliseconds: number, toReason: () => Error): Disposable {
    const timer = setTimeout(() => this.abort(toReason()), milliseconds)
    return { [Symbol.dispose]: () => clearTimeout(timer) }
  }

  /** Whether no earlier running call has this progress token. */
  isFirstWith(progressToken: string | number): boolean {
    return this.#origin.findByToken(progressToken) === this
  }

  /** Sends a notification that belongs to this call, unless the call is settled. */
  notify(method: string, params: object, options?: { readonly droppable: boolean }): void {
    if (this.#settled) return
    this.#origin.sink.send({ ...toNotificationFrame(method, params), ...options })
  }

  /** Closes the connection that waits for the response, if the client can resume it. */
  disconnect(): void {
    if (!this.#settled) this.#origin.sink.disconnect?.()
  }

  /** Answers the request with a task, as which the handler continues. */
  async becomeTask(ticket: string | undefined): Promise<void> {
    this.#task ??= await this.#origin.startTask(this, ticket)
  }

  /** Continues with the state of earlier rounds of the request. */
  resume(round: RoundChannel): void {
    this.#channel = round
  }

  /** How this client can be asked for input. */
  channel(): InputChannel {
    if (this.#task !== undefined) return this.#task
    this.#channel ??= this.era === 'modern' ? new RoundChannel() : this.#createDirectChannel()
    return this.#channel
  }

  /** Waits for the client; the time that the user takes for a question does not count towards the timeout. */
  async waitFor<T>(answer: Promise<T>): Promise<T> {
    const since = performance.now()
    this.#waitingFor++
    try {
      return await answer
    } finally {
      this.#waitingFor--
      this.#clock += performance.now() - since
    }
  }

  #createDirectChannel(): DirectChannel {
    const { sink } = this.#origin
    return new DirectChannel((method, params) =>
      this.#origin.ask(method, params, { sink, signal: this.signal }),
    )
  }
}

/** The client and protocol version of a request, from its `_meta` or from its session. */
export interface Envelope {
  readonly era: Era
  readonly protocolVersion: string
  readonly client: Implementation | undefined
  readonly clientCapabilities: ClientCapabilities
  /** The least severe log level that the client wants; undefined for no log messages. */
  readonly logLevel: LogLevel | undefined
  readonly meta: Meta
}

const NO_META: Meta = Object.freeze({})
const NO_CAPABILITIES: ClientCapabilities = Object.freeze({})
const DEFAULT_LEGACY_LOG_LEVEL: LogLevel = 'info'

/**
 * Decides the era of one request. It is never pinned to the connection: a client may send
 * `server/discover` first and then fall back to `initialize` on the same pipe.
 */
export function isModern(params: JsonObject, claimedVersion: string | undefined): boolean {
  const meta = params['_meta']
  if (isJsonObject(meta)) {
    if (META_KEYS.protocolVersion in meta || META_KEYS.clientCapabilities in meta) return true
  }
  return claimedVersion !== undefined && MODERN_VERSIONS.some((known) => known === claimedVersion)
}

/** Reads the envelope from the `_meta` of a modern request, where it is required. */
export function readModernEnvelope(params: JsonObject): Envelope {
  const meta = isJsonObject(params['_meta']) ? params['_meta'] : NO_META
  const version = meta[META_KEYS.protocolVersion]
  const capabilities = meta[META_KEYS.clientCapabilities]
  const logLevel = meta[META_KEYS.logLevel]
  if (typeof version !== 'string') throw missing(META_KEYS.protocolVersion, 'a string')
  if (!MODERN_VERSIONS.some((known) => known === version)) throw unsupportedVersion(version)
  if (!isJsonObject(capabilities)) throw missing(META_KEYS.clientCapabilities, 'an object')
  if (logLevel !== undefined && !isLogLevel(logLevel)) {
    throw invalidParams(`${META_KEYS.logLevel} is not a log level`)
  }
  return {
    era: 'modern',
    protocolVersion: version,
    client: toImplementation(meta[META_KEYS.clientInfo]),
    clientCapabilities: capabilities,
    logLevel,
    meta,
  }
}

/** Builds the envelope of a legacy request from the negotiated state, or from defaults before `initialize`. */
export function toLegacyEnvelope(params: JsonObject, state: SessionState | undefined): Envelope {
  return {
    era: 'legacy',
    protocolVersion: state?.protocolVersion ?? NEWEST_LEGACY_VERSION,
    client: toImplementation(state?.clientInfo),
    clientCapabilities: state?.clientCapabilities ?? NO_CAPABILITIES,
    logLevel: legacyLogLevel(state),
    meta: isJsonObject(params['_meta']) ? params['_meta'] : NO_META,
  }
}

/** Accepts a self-description that has at least a name and a version. */
function toImplementation(value: unknown): Implementation | undefined {
  if (!isJsonObject(value)) return undefined
  const { name, version } = value
  if (typeof name !== 'string' || typeof version !== 'string') return undefined
  return { ...value, name, version }
}

function missing(key: string, expected: string): ProtocolError {
  return invalidParams(`_meta must have ${key}, ${expected}`)
}

function unsupportedVersion(requested: string): ProtocolError {
  return new ProtocolError(
    ERROR_CODES.unsupportedProtocolVersion,
    `protocol version ${requested} is not supported`,
    { supported: MODERN_VERSIONS, requested },
  )
}

/** The least severe log level that a legacy client gets. */
export function legacyLogLevel(state: SessionState | undefined): LogLevel {
  const level = state?.logLevel
  if (level === undefined) return DEFAULT_LEGACY_LOG_LEVEL
  return isLogLevel(level) ? level : DEFAULT_LEGACY_LOG_LEVEL
}
