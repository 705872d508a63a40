import { DEFAULT_DEPTH } from '../internal/json-limits.ts'

/** How much clients may ask of the server. */
export interface Limits {
  /** Longest frame in bytes; a longer one is skipped and answered with an error. */
  readonly frameBytes: number
  /** Deepest nesting of arrays and objects in one message. */
  readonly depth: number
  /** Requests of one connection that run at the same time; more of them wait. */
  readonly concurrency: number
  /**
   * Requests of all connections together that run at the same time; more of them wait, and the connections take turns.
   * No limit by default: calls that wait for something hold their places, so what is right depends on the application.
   */
  readonly totalConcurrency: number
  /** Requests of one connection that may wait, and connections that may; more are refused as busy. */
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
