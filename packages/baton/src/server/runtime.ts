import type { ServerCapabilities } from '../protocol/capability.ts'
import type { Implementation } from '../protocol/implementation.ts'
import type { CacheHint } from '../protocol/server-features/resource.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import type { Call } from './call/call.ts'
import type { ConcurrencyLimiter } from './call/call-queue.ts'
import type { Change } from './change.ts'
import type { ServerHandler } from './handler.ts'
import type { RequestStates } from './input/request-state.ts'
import type { Limits } from './limits.ts'
import type { Middleware } from './middleware.ts'
import type { ListPages } from './list-pages.ts'
import type { ResultText } from './reply.ts'
import type { TaskRunner } from './task/task-runner.ts'

/** A connection that gets notifications. */
interface ChangeListener {
  publish(change: Change): void
  publishUpdates(isUpdated: (uri: string) => boolean): void
}

/** State that all connections of one server share. */
export interface ServerRuntime {
  readonly info: Implementation
  readonly instructions: string | undefined
  readonly handler: ServerHandler
  readonly limits: Limits
  /** Limits the running calls of all connections. */
  readonly concurrency: ConcurrencyLimiter
  readonly cacheHint: CacheHint
  /** The only versions that `initialize` accepts; if undefined, it answers an unknown version with the newest one. */
  readonly strictVersions: readonly string[] | undefined
  readonly results: ResultText
  readonly pages: ListPages
  readonly states: RequestStates
  readonly telemetry: Telemetry
  readonly middlewares: readonly Middleware[]
  /** Undefined if tasks are not enabled. */
  readonly tasks: TaskRunner | undefined
  /** The connections that may have subscriptions. */
  readonly connections: Set<ChangeListener>
  capabilities(): ServerCapabilities
  /** Reports an error to the application that the client must not see. */
  reportError(error: unknown, call: Call): void
}
