import { DEFAULT_DEPTH } from '../internal/json-text.ts'

/** Limits for client requests. */
export interface Limits {
  /** Maximum size of a frame in bytes; a longer one is skipped and answered with an error. */
  readonly frameBytes: number
  /** Maximum nesting of arrays and objects in one message. */
  readonly depth: number
  /** Requests of one connection that run at the same time; further requests wait. */
  readonly concurrency: number
  /**
   * Requests of all connections that run at the same time; further requests wait, and the connections take turns.
   * Unlimited by default: a call that waits for input or events holds its slot, so the right value depends on the
   * application.
   */
  readonly totalConcurrency: number
  /** Maximum number of waiting requests of one connection, and of waiting connections; more are refused as busy. */
  readonly queue: number
  /** Milliseconds a request may run before it is aborted and answered with an error; 0 for no limit. */
  readonly requestMs: number
  /** Resource URIs that one connection may be subscribed to. */
  readonly subscriptions: number
  /** Items in one page of a list. */
  readonly pageSize: number
}

/** The limits that apply unless the application sets others. */
export const DEFAULT_LIMITS: Limits = {
  frameBytes: 4 * 1024 * 1024,
  depth: DEFAULT_DEPTH,
  concurrency: 128,
  totalConcurrency: Number.POSITIVE_INFINITY,
  queue: 16_384,
  requestMs: 300_000,
  subscriptions: 1024,
  pageSize: 1000,
}
