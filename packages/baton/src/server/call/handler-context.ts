import type { ClientCapabilities } from '../../protocol/capability.ts'
import type { Implementation } from '../../protocol/implementation.ts'
import type {
  InputRequest,
  InputRequests,
  InputResponse,
} from '../../protocol/client-features/input.ts'
import type { RequestId } from '../../protocol/json-rpc.ts'
import { isLogged } from '../../protocol/server-features/logging.ts'
import type { Meta } from '../../protocol/meta.ts'
import { TASKS_EXTENSION } from '../../protocol/task.ts'
import type { Era } from '../../protocol/version.ts'
import type { SessionIdentity } from '../../session/session.ts'
import type { Awaitable, CallContext, Principal } from '../call-context.ts'
import { CallInput } from '../input/call-input.ts'
import { requireTasks } from '../input/require-capability.ts'
import type { Call } from './call.ts'
import { ProgressThrottle } from './progress-throttle.ts'

/**
 * The context of one call. Handlers destructure it, so its functions are created on access and do not
 * depend on `this`.
 */
export class HandlerContext implements CallContext {
  readonly #call: Call
  /** False if an earlier request has the same token: progress of one token must increase. */
  #progressThrottle: ProgressThrottle | false | undefined
  #input: CallInput | undefined

  constructor(call: Call) {
    this.#call = call
  }

  get method(): string {
    return this.#call.method
  }

  get requestId(): RequestId {
    return this.#call.requestId
  }

  get signal(): AbortSignal {
    return this.#call.signal
  }

  get limit(): CallContext['limit'] {
    return (milliseconds, toReason) => this.#call.limit(milliseconds, toReason)
  }

  get era(): Era {
    return this.#call.era
  }

  get protocolVersion(): string {
    return this.#call.envelope.protocolVersion
  }

  get client(): Implementation | undefined {
    return this.#call.envelope.client
  }

  get clientCapabilities(): ClientCapabilities {
    return this.#call.envelope.clientCapabilities
  }

  get session(): SessionIdentity | undefined {
    const { session } = this.#call
    if (session === undefined) return undefined
    const { id, createdAt } = session
    return { id, ...(createdAt !== undefined && { createdAt }) }
  }

  get principal(): Principal | undefined {
    return this.#call.principal
  }

  get meta(): Meta {
    return this.#call.envelope.meta
  }

  get log(): CallContext['log'] {
    return (level, data, logger) => {
      const threshold = this.#call.envelope.logLevel
      if (threshold === undefined || !isLogged(level, threshold)) return
      this.#call.notify('notifications/message', { level, logger, data }, { droppable: true })
    }
  }

  get progress(): CallContext['progress'] {
    return (progress, total, message) => {
      const { progressToken } = this.meta
      if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return
      this.#progressThrottle ??=
        this.#call.isFirstWith(progressToken) && new ProgressThrottle(() => performance.now())
      if (this.#progressThrottle === false || !this.#progressThrottle.allows(progress, total))
        return
      const params = { progressToken, progress, total, message }
      this.#call.notify('notifications/progress', params, { droppable: true })
    }
  }

  get disconnect(): CallContext['disconnect'] {
    return () => this.#call.disconnect()
  }

  get elicit(): CallContext['elicit'] {
    return (params, key) => this.#ask(key, { method: 'elicitation/create', params })
  }

  get sample(): CallContext['sample'] {
    return (params, key) => this.#ask(key, { method: 'sampling/createMessage', params })
  }

  get listRoots(): CallContext['listRoots'] {
    return async (key) => (await this.#ask(key, { method: 'roots/list' })).roots
  }

  get requestInput(): CallContext['requestInput'] {
    return async <Requests extends InputRequests>(requests: Requests) => {
      const answers = this.#questions().askAll(this.#call.channel(), requests)
      return (await this.#call.waitFor(answers)) as {
        readonly [Key in keyof Requests]: InputResponse<Requests[Key]>
      }
    }
  }

  get once(): CallContext['once'] {
    return async <T>(key: string, compute: () => Awaitable<T>) =>
      (await this.#call.channel().once(key, compute)) as T
  }

  get becomeTask(): CallContext['becomeTask'] {
    return async (options) => {
      const declared = this.clientCapabilities.extensions?.[TASKS_EXTENSION]
      const knowsTasks = this.era === 'modern' && declared !== undefined
      if (knowsTasks) await this.#call.becomeTask(options?.ticket)
      else if (options?.required === true) requireTasks(undefined)
      return knowsTasks
    }
  }

  #ask<Request extends InputRequest>(
    key: string | undefined,
    request: Request,
  ): Promise<InputResponse<Request>> {
    return this.#call.waitFor(this.#questions().ask(this.#call.channel(), request, key))
  }

  #questions(): CallInput {
    this.#input ??= new CallInput(this.clientCapabilities)
    return this.#input
  }
}
