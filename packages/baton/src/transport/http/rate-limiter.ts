/** How fast one caller may send requests. */
export interface RateLimit {
  /** Requests per second in the long run. */
  readonly perSecond: number
  /** Requests that may come at once after a pause. */
  readonly burst: number
}

interface Bucket {
  tokens: number
  filledAt: number
}

/** Callers remembered at most; those forgotten start with a full bucket, which a flood of names gains little from. */
const MAX_CALLERS = 10_000

/** A token bucket for each caller. */
export class RateLimiter {
  readonly #limit: RateLimit
  readonly #now: () => number
  readonly #bucketsByCaller = new Map<string, Bucket>()

  constructor(limit: RateLimit, now: () => number) {
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
    const earned = ((now - bucket.filledAt) / 1000) * perSecond
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
