import type { Authenticator } from '../../auth/authenticator.ts'
import { ANONYMOUS_ID, type VerifiedPrincipal } from '../../auth/principal.ts'
import {
  createRequestGuard,
  type RequestGuard,
  type RequestGuardOptions,
} from '../../auth/request-guard.ts'
import { allowOrigin } from './cors.ts'
import { toDenialAnswer, toErrorAnswer } from './http-error.ts'
import type { HttpReply, HttpRequest } from './http-message.ts'
import { type RateLimit, RateLimiter } from './rate-limiter.ts'

/** What a gate lets through. */
export interface GateOptions extends RequestGuardOptions {
  readonly authenticator: Authenticator | undefined
  readonly rateLimit?: RateLimit | undefined
  readonly now: () => number
}

const ANONYMOUS: VerifiedPrincipal = { id: ANONYMOUS_ID }

/** The checks that every request passes before any endpoint sees it; each answers what it refuses. */
export class Gate {
  readonly #guard: RequestGuard
  readonly #authenticator: Authenticator | undefined
  readonly #limiter: RateLimiter | undefined

  constructor({ authenticator, rateLimit, now, ...guardOptions }: GateOptions) {
    this.#guard = createRequestGuard(guardOptions)
    this.#authenticator = authenticator
    this.#limiter = rateLimit && new RateLimiter(rateLimit, now)
  }

  /** Refuses foreign hosts and origins; true lets the request on. */
  letsIn(request: HttpRequest, reply: HttpReply): boolean {
    const denial = this.#guard({
      host: request.header('host'),
      origin: request.header('origin'),
      scheme: request.scheme,
    })
    if (denial === undefined) {
      allowOrigin(request, reply)
      return true
    }
    reply.send(toDenialAnswer(denial))
    return false
  }

  /** Finds out who is calling, and whether they call too often. */
  async identify(request: HttpRequest, reply: HttpReply): Promise<VerifiedPrincipal | undefined> {
    const principal = this.#authenticator
      ? await this.#authenticate(this.#authenticator, request, reply)
      : ANONYMOUS
    if (principal === undefined) return undefined
    const waitSeconds = this.#limiter?.take(principal.id) ?? 0
    if (waitSeconds === 0) return principal
    const headers = { 'retry-after': String(waitSeconds) }
    reply.send(toErrorAnswer({ status: 429, message: 'too many requests', headers }))
    return undefined
  }

  async #authenticate(
    authenticator: Authenticator,
    request: HttpRequest,
    reply: HttpReply,
  ): Promise<VerifiedPrincipal | undefined> {
    const authorization = request.header('authorization')
    const outcome = await authenticator.authenticate({ authorization, query: request.query })
    if (outcome.accepted) return outcome.principal
    reply.send(toDenialAnswer(outcome.denial))
    return undefined
  }
}
