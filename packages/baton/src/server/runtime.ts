import type { ServerCapabilities } from '../protocol/capability.ts'
import type { Implementation } from '../protocol/implementation.ts'
import type { CacheHint } from '../protocol/resource.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'
import type { Call } from './call/call.ts'
import type { SharedPlaces } from './call/shared-places.ts'
import type { Change } from './change.ts'
import type { ServerHandler } from './handler.ts'
import type { RequestStates } from './input/request-state.ts'
import type { Limits } from './limits.ts'
import type { Middleware } from './middleware.ts'
import type { ListPages } from './reply/list-pages.ts'
import type { ResultText } from './reply/result-text.ts'
import type { TaskRunner } from './task/task-runner.ts'

/** Somebody who is told of changes. */
interface ChangeListener {
  publish(change: Change): void
  publishUpdates(isUpdated: (uri: string) => boolean): void
}

/** What all connections of one server share. */
export interface ServerRuntime {
  readonly info: Implementation
  readonly instructions: string | undefined
  readonly handler: ServerHandler
  readonly limits: Limits
  /** Where calls of all connections run. */
  readonly places: SharedPlaces
  readonly cacheHint: CacheHint
  /** The only versions that `initialize` accepts; undefined to answer any with the nearest one. */
  readonly strictVersions: readonly string[] | undefined
  readonly results: ResultText
  readonly pages: ListPages
  readonly states: RequestStates
  readonly telemetry: Telemetry
  readonly middlewares: readonly Middleware[]
  /** Undefined on a server without tasks. */
  readonly tasks: TaskRunner | undefined
  /** Everybody who may want to hear of changes. */
  readonly connections: Set<ChangeListener>
  capabilities(): ServerCapabilities
  /** Tells the application about an error that the client must not see. */
  reportError(error: unknown, call: Call): void
}
