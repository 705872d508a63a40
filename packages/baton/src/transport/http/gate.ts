import type { Authenticator } from '../../auth/authenticator.ts'
import { ANONYMOUS_ID, type VerifiedPrincipal } from '../../auth/principal.ts'
import {
  createRequestGuard,
  type RequestGuard,
  type RequestGuardOptions,
} from '../../auth/request-guard.ts'
import type { Awaitable } from '../../server/call-context.ts'
import { allowEveryOrigin, allowOrigin } from './cors.ts'
import { toDenialAnswer, toErrorAnswer } from './http-error.ts'
import type { HttpReply, HttpRequest } from './http-message.ts'
import { CallerLimiter, type RateLimit } from './rate-limiter.ts'

/** Options of the gate. */
export interface GateOptions extends RequestGuardOptions {
  readonly authenticator: Authenticator | undefined
  readonly rateLimit?: RateLimit | undefined
  readonly now: () => number
}

const ANONYMOUS: VerifiedPrincipal = { id: ANONYMOUS_ID }

/** The checks before any endpoint: host, origin, credentials and rate limit. Each sends the response if it fails. */
export class Gate {
  readonly #guard: RequestGuard
  readonly #authenticator: Authenticator | undefined
  readonly #limiter: CallerLimiter | undefined

  constructor({ authenticator, rateLimit, now, ...guardOptions }: GateOptions) {
    this.#guard = createRequestGuard(guardOptions)
    this.#authenticator = authenticator
    this.#limiter = rateLimit && new CallerLimiter(rateLimit, now)
  }

  /** Checks Host and Origin, and allows the origin to read the response; false if the request was refused. */
  checkHostAndOrigin(request: HttpRequest, reply: HttpReply): boolean {
    if (!this.#isAllowed(request, reply, request.header('origin'))) return false
    allowOrigin(request, reply)
    return true
  }

  /** Checks only Host, for documents that pages of any origin may read; false if the request was refused. */
  checkHost(request: HttpRequest, reply: HttpReply): boolean {
    if (!this.#isAllowed(request, reply, null)) return false
    allowEveryOrigin(reply)
    return true
  }

  #isAllowed(request: HttpRequest, reply: HttpReply, origin: string | null): boolean {
    const denial = this.#guard({ host: request.header('host'), origin, scheme: request.scheme })
    if (denial !== undefined) reply.send(toDenialAnswer(denial))
    return denial === undefined
  }

  /**
   * Authenticates the caller and applies the rate limit. Synchronous without an authenticator, so that the endpoint reads
   * the body in the same tick: Node buffers a body that is not read yet, which costs more.
   */
  authenticate(request: HttpRequest, reply: HttpReply): Awaitable<VerifiedPrincipal | undefined> {
    if (this.#authenticator === undefined) return this.#limit(ANONYMOUS, request, reply)
    return this.#verify(this.#authenticator, request, reply)
  }

  #limit(
    principal: VerifiedPrincipal,
    request: HttpRequest,
    reply: HttpReply,
  ): VerifiedPrincipal | undefined {
    const waitSeconds = this.#limiter?.take(principal.id, request) ?? 0
    if (waitSeconds === 0) return principal
    const headers = { 'retry-after': String(waitSeconds) }
    reply.send(toErrorAnswer({ status: 429, message: 'too many requests', headers }))
    return undefined
  }

  async #verify(
    authenticator: Authenticator,
    request: HttpRequest,
    reply: HttpReply,
  ): Promise<VerifiedPrincipal | undefined> {
    const authorization = request.header('authorization')
    const outcome = await authenticator.authenticate({ authorization, query: request.query })
    if (outcome.accepted) return this.#limit(outcome.principal, request, reply)
    reply.send(toDenialAnswer(outcome.denial))
    return undefined
  }
}
