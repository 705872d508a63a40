import { toElapsed } from '../../internal/elapsed.ts'
import type { HttpRequest } from './http-message.ts'

/** The rate limit of one caller. */
export interface RateLimit {
  /** Sustained requests per second. */
  readonly perSecond: number
  /** Requests that may be sent at once after a pause. */
  readonly burst: number
  /**
   * Partitions the callers that share a credential, such as agents. Each partition has its own limit, and all together have
   * ten times that, because a client can invent partition keys.
   */
  readonly partitionBy?: (request: HttpRequest) => string
}

/** The limit of all partitions of a principal together, as a multiple of the limit of one. */
const ALL_PARTITIONS = 10
const MAX_KEY_LENGTH = 200

/** Limits each partition of a principal, and all of them together. */
export class CallerLimiter {
  readonly #partitionBy: ((request: HttpRequest) => string) | undefined
  readonly #partitions: RateLimiter
  readonly #principals: RateLimiter

  constructor({ partitionBy, ...limit }: RateLimit, now: () => number) {
    this.#partitionBy = partitionBy
    this.#partitions = new RateLimiter(limit, now)
    const { perSecond, burst } = limit
    const all = { perSecond: perSecond * ALL_PARTITIONS, burst: burst * ALL_PARTITIONS }
    this.#principals = new RateLimiter(all, now)
  }

  /** Seconds that the caller has to wait; 0 when the request may go on. */
  take(principal: string, request: HttpRequest): number {
    if (this.#partitionBy === undefined) return this.#partitions.take(principal)
    const key = JSON.stringify([principal, this.#partitionBy(request).slice(0, MAX_KEY_LENGTH)])
    return this.#partitions.take(key) || this.#principals.take(principal)
  }
}

interface Bucket {
  tokens: number
  filledAt: number
}

/** Maximum number of buckets; an evicted caller starts with a full bucket, from which a flood of new keys gains little. */
const MAX_CALLERS = 10_000

/** A token bucket for each caller. */
class RateLimiter {
  readonly #limit: Omit<RateLimit, 'partitionBy'>
  readonly #now: () => number
  readonly #bucketsByCaller = new Map<string, Bucket>()

  constructor(limit: Omit<RateLimit, 'partitionBy'>, now: () => number) {
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
