import type { ClientCapabilities } from '../protocol/capability.ts'
import type { ElicitParams, ElicitResult } from '../protocol/elicitation.ts'
import type { Implementation } from '../protocol/implementation.ts'
import type { InputRequests, InputResponse, Root } from '../protocol/input.ts'
import type { RequestId } from '../protocol/json-rpc.ts'
import type { LogLevel } from '../protocol/logging.ts'
import type { Meta } from '../protocol/meta.ts'
import type { CreateMessageParams, CreateMessageResult } from '../protocol/sampling.ts'
import type { Era } from '../protocol/version.ts'

/** A value now or later. */
export type Awaitable<T> = T | Promise<T>

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
  /**
   * Aborted when the client cancels, the time is up or the connection closes, and when a server that stops waits no
   * longer; then what the handler answers within half a second is still sent.
   */
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
  /**
   * Lets the client hang up and come back for the answer, so that a long call keeps no connection open.
   * Does nothing where the client could not come back.
   */
  readonly disconnect: () => void
  /**
   * Asks the user, through a form or a page to visit.
   *
   * A modern client gets the question as the answer to its request and sends the request again, so the
   * handler runs again from its start: what comes before a question must be safe to repeat, or be
   * wrapped in `once`. The key tells questions apart; without one they are numbered.
   */
  readonly elicit: (params: ElicitParams, key?: string) => Promise<ElicitResult>
  /** Asks the client's model; see `elicit`. */
  readonly sample: (params: CreateMessageParams, key?: string) => Promise<CreateMessageResult>
  /** Asks where the client lets the server work; see `elicit`. */
  readonly listRoots: (key?: string) => Promise<readonly Root[]>
  /** Asks several questions at once; see `elicit`. */
  readonly requestInput: <Requests extends InputRequests>(
    requests: Requests,
  ) => Promise<{ readonly [Key in keyof Requests]: InputResponse<Requests[Key]> }>
  /** Computes a value that JSON can spell, once for a request however often its handler runs. */
  readonly once: <T>(key: string, compute: () => Awaitable<T>) => Promise<T>
  /**
   * Lets a tool call go on as a task: the client gets its answer now and asks for the result later.
   * Does nothing for a client that does not know tasks, unless they are `required`, and says which it was.
   */
  readonly becomeTask: (options?: BecomeTaskOptions) => Promise<boolean>
}

/** How a call becomes a task. */
export interface BecomeTaskOptions {
  /** Refuses clients that do not know tasks. */
  readonly required?: boolean
  /** What the application finds the work by if this process dies; see `TaskOptions.resume`. */
  readonly ticket?: string
}
