import type { ClientCapabilities } from '../protocol/capability.ts'
import type { ElicitParams, ElicitResult } from '../protocol/client-features/elicitation.ts'
import type { Implementation } from '../protocol/implementation.ts'
import type { InputRequests, InputResponse, Root } from '../protocol/client-features/input.ts'
import type { RequestId } from '../protocol/json-rpc.ts'
import type { LogLevel } from '../protocol/server-features/logging.ts'
import type { Meta } from '../protocol/meta.ts'
import type {
  CreateMessageParams,
  CreateMessageResult,
} from '../protocol/client-features/sampling.ts'
import type { Era } from '../protocol/version.ts'
import type { SessionIdentity } from '../session/session.ts'

/** A value or a promise of it. */
export type Awaitable<T> = T | Promise<T>

/** The authenticated caller. */
export interface Principal {
  readonly id: string
  readonly scopes?: readonly string[]
  readonly claims?: Readonly<Record<string, unknown>>
}

/** The request as its handler sees it, and what the handler can do besides returning a result. */
export interface CallContext {
  readonly method: string
  readonly requestId: RequestId
  /**
   * Aborted when the client cancels, the request times out, the connection closes, or the grace period of a stopping
   * server ends; in the last case a result within half a second is still sent.
   */
  readonly signal: AbortSignal
  /**
   * Aborts `signal` after so many milliseconds, with the error that `toReason` makes, unless the result is disposed
   * before. Costs less than a second signal that follows this one.
   */
  readonly limit: (milliseconds: number, toReason: () => Error) => Disposable
  readonly era: Era
  readonly protocolVersion: string
  /** Self-description of the client; unverified. */
  readonly client: Implementation | undefined
  readonly clientCapabilities: ClientCapabilities
  readonly session: SessionIdentity | undefined
  readonly principal: Principal | undefined
  /** The request's `_meta`. */
  readonly meta: Meta
  /** Sends a log message, if the client's log level includes it. */
  readonly log: (level: LogLevel, data: unknown, logger?: string) => void
  /** Reports progress, if the client asked for it; a value that does not increase is dropped. */
  readonly progress: (value: number, total?: number, message?: string) => void
  /**
   * Closes the client's connection, which the client resumes for the response, so that a long call keeps no connection
   * open. No-op for clients that cannot resume.
   */
  readonly disconnect: () => void
  /**
   * Asks the user with a form or a page to visit.
   *
   * A modern client gets the question as the result of its request and sends the request again, so the handler runs again
   * from its start: code before a question must be idempotent or wrapped in `once`. The key identifies the question;
   * without a key, questions are numbered.
   */
  readonly elicit: (params: ElicitParams, key?: string) => Promise<ElicitResult>
  /** Asks the client's model; see `elicit`. */
  readonly sample: (params: CreateMessageParams, key?: string) => Promise<CreateMessageResult>
  /** Asks for the directories and files on which the server may work; see `elicit`. */
  readonly listRoots: (key?: string) => Promise<readonly Root[]>
  /** Asks several questions at once; see `elicit`. */
  readonly requestInput: <Requests extends InputRequests>(
    requests: Requests,
  ) => Promise<{ readonly [Key in keyof Requests]: InputResponse<Requests[Key]> }>
  /** Computes a JSON value once for a request, even if its handler runs several times. */
  readonly once: <T>(key: string, compute: () => Awaitable<T>) => Promise<T>
  /**
   * Continues a tool call as a task: the client gets the task now and polls for the result. Resolves to false, without
   * effect, for a client that does not support tasks; throws if they are `required`.
   */
  readonly becomeTask: (options?: BecomeTaskOptions) => Promise<boolean>
}

/** How a call becomes a task. */
export interface BecomeTaskOptions {
  /** Refuses clients that do not support tasks. */
  readonly required?: boolean
  /** Identifies the work for `TaskOptions.resume` if this process dies. */
  readonly ticket?: string
}
