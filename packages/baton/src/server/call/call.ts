import type { ClientCapabilities } from '../../protocol/capability.ts'
import type { Implementation } from '../../protocol/implementation.ts'
import type { JsonObject, RequestId, RequestMessage } from '../../protocol/json-rpc.ts'
import { isLogged } from '../../protocol/logging.ts'
import type { Meta } from '../../protocol/meta.ts'
import type { Era } from '../../protocol/version.ts'
import type { CallContext, Principal } from '../call-context.ts'
import type { Envelope } from './envelope.ts'
import { toNotificationFrame } from '../reply/frame-text.ts'
import type { OutgoingFrame, Outlet } from '../outlet.ts'
import { ProgressGate } from './progress-gate.ts'

/** Where a call came from and where its messages go. */
export interface CallOrigin {
  readonly outlet: Outlet
  readonly principal: Principal | undefined
  readonly sessionId: string | undefined
}

/** One request from arrival to answer. */
export class Call implements CallContext {
  readonly requestId: RequestId
  readonly method: string
  readonly params: JsonObject
  readonly startedAt: number = performance.now()
  readonly #envelope: Envelope
  readonly #origin: CallOrigin
  // Most calls never look at their signal, so the controller is made when one does.
  #controller: AbortController | undefined
  #abortReason: Error | undefined
  #progressGate: ProgressGate | undefined
  #settled = false

  constructor(request: RequestMessage, envelope: Envelope, origin: CallOrigin) {
    this.requestId = request.id
    this.method = request.method
    this.params = request.params
    this.#envelope = envelope
    this.#origin = origin
  }

  get era(): Era {
    return this.#envelope.era
  }

  get protocolVersion(): string {
    return this.#envelope.protocolVersion
  }

  get client(): Implementation | undefined {
    return this.#envelope.client
  }

  get clientCapabilities(): ClientCapabilities {
    return this.#envelope.clientCapabilities
  }

  get meta(): Meta {
    return this.#envelope.meta
  }

  get session(): { readonly id: string } | undefined {
    const id = this.era === 'legacy' ? this.#origin.sessionId : undefined
    return id === undefined ? undefined : { id }
  }

  get principal(): Principal | undefined {
    return this.#origin.principal
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#abortReason !== undefined) this.#controller.abort(this.#abortReason)
    }
    return this.#controller.signal
  }

  get settled(): boolean {
    return this.#settled
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

  /** Sends a notification about this call; nothing goes out once it has ended. */
  notify(method: string, params: object): void {
    if (!this.#settled) this.#origin.outlet.send(toNotificationFrame(method, params))
  }

  // Handlers take `log` and `progress` out of their context, so these must not depend on `this`.
  get log(): CallContext['log'] {
    return (level, data, logger) => {
      const threshold = this.#envelope.logLevel
      if (threshold === undefined || !isLogged(level, threshold)) return
      this.#mention('notifications/message', { level, logger, data })
    }
  }

  get progress(): CallContext['progress'] {
    return (value, total, message) => {
      const progressToken = this.meta['progressToken']
      if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return
      this.#progressGate ??= new ProgressGate(() => performance.now())
      if (!this.#progressGate.admits(value, total)) return
      this.#mention('notifications/progress', { progressToken, progress: value, total, message })
    }
  }

  /** Sends a notification that the client can do without. */
  #mention(method: string, params: object): void {
    if (this.#settled) return
    this.#origin.outlet.send({ ...toNotificationFrame(method, params), droppable: true })
  }
}
