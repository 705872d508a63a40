import type { ServerCapabilities } from '../../protocol/capability.ts'
import { ERROR_CODES, ProtocolError } from '../../protocol/error.ts'
import type { SubscriptionFilter } from '../../protocol/subscription.ts'
import type { Era } from '../../protocol/version.ts'
import type { SessionState } from '../../session/session.ts'
import type { Awaitable } from '../call-context.ts'
import type { Call } from '../call/call.ts'
import type { ServerRuntime } from '../runtime.ts'

/** The connection of a call, as far as methods need it. */
export interface ConnectionPort {
  /** The legacy session state; undefined before `initialize`. */
  readonly state: SessionState | undefined
  setState(state: SessionState): void
  /** Turns a call into a stream of notifications; resolves when the stream has ended. */
  listen(call: Call, filter: SubscriptionFilter): Promise<void>
}

/** One method of the protocol. */
export interface Method {
  /** The only era that has the method; absent if both have it. */
  readonly era?: Era
  /** Whether modern results of the method have a cache hint. */
  readonly cacheable?: boolean
  /** Whether a modern client may get `input_required` instead of the result. */
  readonly asksClient?: boolean
  run(runtime: ServerRuntime, call: Call, connection: ConnectionPort): Awaitable<object>
}

/** Builds the error for a method that is unknown or not supported by this server. */
export function methodNotFound(method: string): ProtocolError {
  return new ProtocolError(ERROR_CODES.methodNotFound, `method not found: ${method.slice(0, 100)}`)
}

/** Throws if the server lacks a capability. */
export function requireCapability(
  runtime: ServerRuntime,
  call: Call,
  capability: keyof ServerCapabilities,
): void {
  if (runtime.capabilities()[capability] === undefined) throw methodNotFound(call.method)
}
