const BURST = 50
const PER_SECOND = 100

/**
 * Throttles the progress notifications of one request with a token bucket; values must increase. One notification whose
 * value equals its total is sent even when the bucket is empty, because it is usually the last one.
 */
export class ProgressThrottle {
  readonly #now: () => number
  #last = Number.NEGATIVE_INFINITY
  #allowance = BURST
  #refilledAt: number
  #hasSentTotal = false

  constructor(now: () => number) {
    this.#now = now
    this.#refilledAt = now()
  }

  allows(value: number, total: number | undefined): boolean {
    if (!Number.isFinite(value) || value <= this.#last) return false
    this.#refill()
    if (this.#allowance >= 1) this.#allowance--
    else if (value === total && !this.#hasSentTotal) this.#hasSentTotal = true
    else return false
    this.#last = value
    return true
  }

  #refill(): void {
    const now = this.#now()
    const earned = ((now - this.#refilledAt) / 1000) * PER_SECOND
    this.#allowance = Math.min(BURST, this.#allowance + earned)
    this.#refilledAt = now
  }
}
