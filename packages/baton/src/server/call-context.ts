import type { ClientCapabilities } from '../protocol/capability.ts'
import type { Implementation } from '../protocol/implementation.ts'
import type { RequestId } from '../protocol/json-rpc.ts'
import type { LogLevel } from '../protocol/logging.ts'
import type { Meta } from '../protocol/meta.ts'
import type { Era } from '../protocol/version.ts'

/** Who is calling, as far as the transport could prove it. */
export interface Principal {
  readonly id: string
  readonly scopes?: readonly string[]
  readonly claims?: Readonly<Record<string, unknown>>
}

/** What a handler knows about the request that it serves, and what it can do besides answering it. */
export interface CallContext {
  readonly method: string
  readonly requestId: RequestId
  /** Aborted when the client cancels, the time is up or the connection closes. */
  readonly signal: AbortSignal
  readonly era: Era
  readonly protocolVersion: string
  /** What the client calls itself; never proof of anything. */
  readonly client: Implementation | undefined
  readonly clientCapabilities: ClientCapabilities
  readonly session: { readonly id: string } | undefined
  readonly principal: Principal | undefined
  /** The request's `_meta`. */
  readonly meta: Meta
  /** Sends a log message, if the client wants messages of this level. */
  readonly log: (level: LogLevel, data: unknown, logger?: string) => void
  /** Reports progress, if the client asked for it; a value that does not rise is dropped. */
  readonly progress: (value: number, total?: number, message?: string) => void
}
