import type { ServerCapabilities } from '../../protocol/capability.ts'
import { ERROR_CODES, ProtocolError } from '../../protocol/error.ts'
import type { SubscriptionFilter } from '../../protocol/subscription.ts'
import type { Era } from '../../protocol/version.ts'
import type { SessionState } from '../../session/session.ts'
import type { Awaitable } from '../call-context.ts'
import type { Call } from '../call/call.ts'
import type { ServerRuntime } from '../runtime.ts'

/** What a method may ask of the connection that its call came through. */
export interface ConnectionPort {
  /** What `initialize` and later messages agreed on; undefined for a client that never sent it. */
  readonly state: SessionState | undefined
  setState(state: SessionState): void
  /** Turns a call into a stream of notifications; resolves when the stream has ended. */
  listen(call: Call, filter: SubscriptionFilter): Promise<void>
}

/** One method of the protocol. */
export interface Method {
  /** The only era that knows the method; absent if both do. */
  readonly era?: Era
  /** True if modern results of the method carry a cache hint. */
  readonly cacheable?: boolean
  /** True if a modern client may get a question instead of the result. */
  readonly asksClient?: boolean
  run(runtime: ServerRuntime, call: Call, connection: ConnectionPort): Awaitable<object>
}

/** Builds the error for a method that does not exist, or that this server does not offer. */
export function methodNotFound(method: string): ProtocolError {
  return new ProtocolError(ERROR_CODES.methodNotFound, `method not found: ${method.slice(0, 100)}`)
}

/** Refuses a call on a server that offers nothing of the kind. */
export function requireCapability(
  runtime: ServerRuntime,
  call: Call,
  capability: keyof ServerCapabilities,
): void {
  if (runtime.capabilities()[capability] === undefined) throw methodNotFound(call.method)
}
