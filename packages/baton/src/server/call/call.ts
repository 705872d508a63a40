import { ANONYMOUS_ID } from '../../auth/principal.ts'
import type { JsonObject, RequestId, RequestMessage } from '../../protocol/json-rpc.ts'
import type { CallContext, Principal } from '../call-context.ts'
import { DirectChannel } from '../input/direct-channel.ts'
import type { InputChannel } from '../input/input-channel.ts'
import { RoundChannel } from '../input/round-channel.ts'
import type { OutgoingFrame, Outlet } from '../outlet.ts'
import { toNotificationFrame } from '../reply/frame-text.ts'
import type { RunningTask } from '../task/running-task.ts'
import type { RequestRoute } from './client-requests.ts'
import type { Envelope } from './envelope.ts'
import { HandlerContext } from './handler-context.ts'

/** The kinds of wire, as telemetry names them. */
export type TransportKind = 'pipe' | 'tcp' | 'unix'

/** Reads a header by its lower-case name. */
export type HeaderReader = (name: string) => string | null

/** Where a call came from, where its messages go, and what it may ask of its connection. */
export interface CallOrigin {
  readonly outlet: Outlet
  readonly principal: Principal | undefined
  readonly sessionId: string | undefined
  readonly transport: TransportKind | undefined
  readonly header: HeaderReader | undefined
  /** Sends a request to a legacy client. */
  ask(method: string, params: object | undefined, route: RequestRoute): Promise<unknown>
  /** The running call that came with this progress token first. */
  findByToken(progressToken: string | number): Call | undefined
  /** Lets a call go on after its answer as a task. */
  startTask(call: Call, ticket: string | undefined): Promise<RunningTask>
}

/** One request from arrival to answer. */
export class Call {
  readonly requestId: RequestId
  readonly method: string
  readonly params: JsonObject
  readonly envelope: Envelope
  readonly #origin: CallOrigin
  // Most calls never look at their signal or their context, so these are made when one does.
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

  /** The legacy session; modern requests have none, whatever they travel on. */
  get sessionId(): string | undefined {
    return this.era === 'legacy' ? this.#origin.sessionId : undefined
  }

  get principal(): Principal | undefined {
    return this.#origin.principal
  }

  /** What kind of wire the call came over. */
  get transport(): TransportKind | undefined {
    return this.#origin.transport
  }

  /** Reads the headers that came with the call; undefined where there are none to repeat the body. */
  get header(): HeaderReader | undefined {
    return this.#origin.header
  }

  /** Whose the things are that this call makes. */
  get owner(): string {
    return this.principal?.id ?? ANONYMOUS_ID
  }

  /** What the handler sees of the call. */
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

  /** True once the handler was told to stop. */
  get isAborted(): boolean {
    return this.#abortReason !== undefined
  }

  /** True once the request is answered, or will never be. */
  get settled(): boolean {
    return this.#settled
  }

  /** The task that the call has become. */
  get task(): RunningTask | undefined {
    return this.#task
  }

  /** Milliseconds the call has taken, without those it waited for its client. */
  elapsed(now: number): number {
    return this.#waitingFor > 0 ? 0 : now - this.#clock
  }

  /** Ends the call with a message to the client; false if it had ended before, and nothing is sent. */
  answer(frame: OutgoingFrame): boolean {
    if (this.#settled) return false
    this.#settled = true
    this.#origin.outlet.send(frame)
    return true
  }

  /** Ends the call without an answer and tells its handler to stop. */
  abandon(reason: Error): void {
    if (!this.#settled) this.#origin.outlet.withdraw?.()
    this.#settled = true
    this.abort(reason)
  }

  /** Tells the handler to stop. */
  abort(reason: Error): void {
    this.#abortReason ??= reason
    this.#controller?.abort(this.#abortReason)
  }

  /** Whether no earlier call that still runs has this progress token. */
  isFirstWith(progressToken: string | number): boolean {
    return this.#origin.findByToken(progressToken) === this
  }

  /** Sends a notification about this call; nothing goes out once it has ended. */
  notify(method: string, params: object, options?: { readonly droppable: boolean }): void {
    if (this.#settled) return
    this.#origin.outlet.send({ ...toNotificationFrame(method, params), ...options })
  }

  /** Lets go of the connection that waits for the answer, if the client can come back for it. */
  disconnect(): void {
    if (!this.#settled) this.#origin.outlet.disconnect?.()
  }

  /** Answers the request with a task, and lets the handler go on. */
  async becomeTask(ticket: string | undefined): Promise<void> {
    this.#task ??= await this.#origin.startTask(this, ticket)
  }

  /** Takes up what earlier rounds of the request left. */
  resume(round: RoundChannel): void {
    this.#channel = round
  }

  /** The way in which this client can be asked. */
  channel(): InputChannel {
    if (this.#task !== undefined) return this.#task
    this.#channel ??= this.era === 'modern' ? new RoundChannel() : this.#createDirectChannel()
    return this.#channel
  }

  /** Waits for the client; a person who thinks about a question must not cost the call its time. */
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
    const { outlet } = this.#origin
    return new DirectChannel((method, params) =>
      this.#origin.ask(method, params, { outlet, signal: this.signal }),
    )
  }
}
