import type { Agent, IdempotentCall } from '../context.ts'
import type { FailureReport } from '../error.ts'

/** An operation for a worker thread, with everything of its context that can be sent there. */
export interface OperationCall {
  readonly operation: string
  readonly input: unknown
  /** The project's folder. The thread opens connections of its own. */
  readonly root: string
  readonly agent: Agent
  readonly repeatable?: IdempotentCall
  readonly noteRefs: { readonly noteRef?: string; readonly fallbackRef?: string }
}

/** Messages of the thread: progress, then the output or the failure. */
export type OperationNews =
  | { readonly progress: readonly [done: number, total: number, message: string] }
  | { readonly output: unknown }
  | { readonly failure: FailureReport }
