import { toElapsed } from '../../internal/elapsed.ts'
import type { HttpRequest } from './http-message.ts'

/** How fast one caller may send requests. */
export interface RateLimit {
  /** Requests per second in the long run. */
  readonly perSecond: number
  /** Requests that may come at once after a pause. */
  readonly burst: number
  /**
   * Tells those apart who share a credential, such as agents. Each of them may send as much, and all of them together
   * ten times that: what a request says of itself may be made up.
   */
  readonly partOf?: (request: HttpRequest) => string
}

/** How many times as much as one of them all who share a credential may send. */
const SHARED = 10
const LONGEST_PART = 200

/** Limits each part of a principal, and all of them together. */
export class CallerLimiter {
  readonly #partOf: ((request: HttpRequest) => string) | undefined
  readonly #parts: RateLimiter
  readonly #principals: RateLimiter

  constructor({ partOf, ...limit }: RateLimit, now: () => number) {
    this.#partOf = partOf
    this.#parts = new RateLimiter(limit, now)
    const { perSecond, burst } = limit
    const all = { perSecond: perSecond * SHARED, burst: burst * SHARED }
    this.#principals = new RateLimiter(all, now)
  }

  /** Seconds that the caller has to wait; 0 when the request may go on. */
  take(principal: string, request: HttpRequest): number {
    if (this.#partOf === undefined) return this.#parts.take(principal)
    const part = this.#partOf(request).slice(0, LONGEST_PART)
    return this.#parts.take(JSON.stringify([principal, part])) || this.#principals.take(principal)
  }
}

interface Bucket {
  tokens: number
  filledAt: number
}

/** Callers remembered at most; those forgotten start with a full bucket, which a flood of names gains little from. */
const MAX_CALLERS = 10_000

/** A token bucket for each caller. */
class RateLimiter {
  readonly #limit: Omit<RateLimit, 'partOf'>
  readonly #now: () => number
  readonly #bucketsByCaller = new Map<string, Bucket>()

  constructor(limit: Omit<RateLimit, 'partOf'>, now: () => number) {
    this.#limit = limit
    this.#now = now
  }

  /** Seconds that the caller has to wait; 0 when the request may go on. */
  take(caller: string): number {
    const bucket = this.#refill(caller)
    if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / this.#limit.perSecond)
    bucket.tokens -= 1
    return 0
  }

  #refill(caller: string): Bucket {
    const { perSecond, burst } = this.#limit
    const now = this.#now()
    const bucket = this.#bucketsByCaller.get(caller) ?? { tokens: burst, filledAt: now }
    const earned = (toElapsed(bucket.filledAt, now) / 1000) * perSecond
    bucket.tokens = Math.min(burst, bucket.tokens + earned)
    bucket.filledAt = now
    this.#remember(caller, bucket)
    return bucket
  }

  #remember(caller: string, bucket: Bucket): void {
    this.#bucketsByCaller.delete(caller)
    this.#bucketsByCaller.set(caller, bucket)
    if (this.#bucketsByCaller.size <= MAX_CALLERS) return
    for (const oldest of this.#bucketsByCaller.keys()) {
      this.#bucketsByCaller.delete(oldest)
      return
    }
  }
}
