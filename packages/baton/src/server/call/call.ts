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
import type { Envelope } from './envelope.ts'
import { HandlerContext } from './handler-context.ts'

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
