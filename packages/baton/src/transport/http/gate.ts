import type { Authenticator } from '../../auth/authenticator.ts'
import type { Denial } from '../../auth/denial.ts'
import { ANONYMOUS_ID, type VerifiedPrincipal } from '../../auth/principal.ts'
import {
  createRequestGuard,
  type RequestGuard,
  type RequestGuardOptions,
} from '../../auth/request-guard.ts'
import type { Awaitable } from '../../server/call-context.ts'
import type { HttpError } from './http-error.ts'
import type { HttpRequest } from './http-message.ts'
import { CallerLimiter, type RateLimit } from './rate-limiter.ts'

/** Options of the gate. */
export interface GateOptions extends RequestGuardOptions {
  readonly authenticator: Authenticator | undefined
  readonly rateLimit?: RateLimit | undefined
  readonly now: () => number
}

const ANONYMOUS: VerifiedPrincipal = { id: ANONYMOUS_ID }

/** The checks before any endpoint: host, origin, credentials and rate limit. */
export class Gate {
  readonly #guard: RequestGuard
  readonly #authenticator: Authenticator | undefined
  readonly #limiter: CallerLimiter | undefined

  constructor({ authenticator, rateLimit, now, ...guardOptions }: GateOptions) {
    this.#guard = createRequestGuard(guardOptions)
    this.#authenticator = authenticator
    this.#limiter = rateLimit && new CallerLimiter(rateLimit, now)
  }

  /** Denies a foreign host or origin. */
  checkHostAndOrigin(request: HttpRequest): Denial | undefined {
    const { scheme } = request
    return this.#guard({ host: request.header('host'), origin: request.header('origin'), scheme })
  }

  /** Denies a foreign host only, for documents that pages of any origin may read. */
  checkHost(request: HttpRequest): Denial | undefined {
    return this.#guard({ host: request.header('host'), origin: null, scheme: request.scheme })
  }

  /**
   * Authenticates the caller and applies the rate limit. Synchronous without an authenticator, so that the endpoint reads
   * the body in the same tick: Node buffers a body that is not read yet, which costs more.
   */
  authenticate(request: HttpRequest, isPublic = false): Awaitable<VerifiedPrincipal | HttpError> {
    if (this.#authenticator === undefined || isPublic) return this.#limit(ANONYMOUS, request)
    return this.#verify(this.#authenticator, request)
  }

  async #verify(
    authenticator: Authenticator,
    request: HttpRequest,
  ): Promise<VerifiedPrincipal | HttpError> {
    const authorization = request.header('authorization')
    const outcome = await authenticator.authenticate({ authorization, query: request.query })
    return outcome.accepted ? this.#limit(outcome.principal, request) : outcome.denial
  }

  #limit(principal: VerifiedPrincipal, request: HttpRequest): VerifiedPrincipal | HttpError {
    const waitSeconds = this.#limiter?.take(principal.id, request) ?? 0
    if (waitSeconds === 0) return principal
    const headers = { 'retry-after': String(waitSeconds) }
    return { status: 429, message: 'too many requests', headers }
  }
}
