import { toLine } from '../support/text/visible-text.ts'
import type { Reason, Rule } from './reason.ts'

interface FailureTraits {
  /** HTTP status of the answer. */
  readonly http: number
  /** Exit code of the command line. */
  readonly exit: number
  /** Whether the same call may succeed later without being changed. */
  readonly retryable: boolean
}

/** All failure codes. Surfaces look a code up here; they decide nothing themselves. */
export const FAILURES = {
  invalid_input: { http: 400, exit: 2, retryable: false },
  ambiguous_id: { http: 400, exit: 2, retryable: false },
  unauthenticated: { http: 401, exit: 1, retryable: false },
  forbidden: { http: 403, exit: 1, retryable: false },
  not_found: { http: 404, exit: 3, retryable: false },
  conflict: { http: 409, exit: 4, retryable: false },
  lease_lost: { http: 409, exit: 4, retryable: false },
  queued: { http: 202, exit: 0, retryable: false },
  cancelled: { http: 499, exit: 130, retryable: true },
  internal: { http: 500, exit: 1, retryable: false },
  storage_corrupt: { http: 500, exit: 1, retryable: false },
  storage_newer: { http: 503, exit: 1, retryable: false },
  storage_read_only: { http: 503, exit: 1, retryable: false },
  storage_unavailable: { http: 503, exit: 1, retryable: true },
  not_initialised: { http: 503, exit: 5, retryable: false },
  busy: { http: 503, exit: 75, retryable: true },
  timeout: { http: 504, exit: 75, retryable: true },
  storage_full: { http: 507, exit: 1, retryable: true },
} as const satisfies Record<string, FailureTraits>

export type FailureCode = keyof typeof FAILURES

interface Suggestion {
  readonly number?: number | undefined
  readonly type: string
  readonly title: string
}

/** Facts a caller can act on: the field, the valid values, the candidates. Never secrets or stack traces. */
export interface Details {
  readonly reason?: Reason
  readonly rule?: Rule
  /** "Did you mean" candidates. */
  readonly suggestions?: readonly Suggestion[]
  readonly [fact: string]: unknown
}

export interface FailureOptions {
  readonly details?: Details
  readonly cause?: unknown
}

/**
 * The error of an operation. The message is for people: lower case, one sentence, names the thing. It may quote stored
 * text, so it is escaped to one visible line.
 */
export class Failure extends Error {
  override readonly name = 'Failure'
  readonly code: FailureCode
  readonly details: Details

  constructor(code: FailureCode, message: string, options: FailureOptions = {}) {
    super(toLine(message), options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.details = options.details ?? {}
  }
}

/** The form in which a Failure leaves the process, on every surface. */
export interface FailureReport {
  readonly code: FailureCode
  readonly message: string
  readonly retryable: boolean
  readonly details?: Details
}

export function toFailureReport(failure: Failure): FailureReport {
  const { code, message, details } = failure
  const report = { code, message, retryable: FAILURES[code].retryable }
  return Object.keys(details).length === 0 ? report : { ...report, details }
}

export function isFailureCode(code: unknown): code is FailureCode {
  return typeof code === 'string' && Object.hasOwn(FAILURES, code)
}
