import type { HttpAnswer } from '@waymark/baton/http'
import { type Failure, FAILURES, toFailureReport } from '../../../core/error.ts'

type Headers = Readonly<Record<string, string>>

/** Answers hold stored text, so caches must not keep them. */
const HEADERS: Headers = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

/** For a server that is too busy, or whose database is away: clients wait instead of trying at once. */
const RETRY_SOON: Headers = { 'retry-after': '1' }

export function toJsonAnswer(status: number, body: unknown, headers: Headers = {}): HttpAnswer {
  return { status, headers: { ...HEADERS, ...headers }, body: JSON.stringify(body) }
}

/** A Failure with the status that the table of failures has for it, unless HTTP has a better one. */
export function toFailureAnswer(
  failure: Failure,
  {
    status = FAILURES[failure.code].http,
    headers = {},
  }: { status?: number; headers?: Headers } = {},
): HttpAnswer {
  const { reason, retry_after_seconds: seconds } = failure.details
  if (reason === 'rate_limited')
    return toJsonAnswer(
      429,
      { error: toFailureReport(failure) },
      { 'retry-after': String(seconds) },
    )
  const retry = status === 503 && FAILURES[failure.code].retryable ? RETRY_SOON : {}
  return toJsonAnswer(status, { error: toFailureReport(failure) }, { ...retry, ...headers })
}
