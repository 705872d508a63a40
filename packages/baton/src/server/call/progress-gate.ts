const BURST = 50
const PER_SECOND = 100

/**
 * Decides which progress reports of one request go out: they must rise, and a handler that reports
 * in a tight loop must not bury the client. One report with the value at its total passes even then, for that is the last
 * of a handler that reports as it should.
 */
export class ProgressGate {
  readonly #now: () => number
  #last = Number.NEGATIVE_INFINITY
  #allowance = BURST
  #refilledAt: number
  #hasPassedLast = false

  constructor(now: () => number) {
    this.#now = now
    this.#refilledAt = now()
  }

  admits(value: number, total: number | undefined): boolean {
    if (!Number.isFinite(value) || value <= this.#last) return false
    this.#refill()
    if (this.#allowance >= 1) this.#allowance--
    else if (value === total && !this.#hasPassedLast) this.#hasPassedLast = true
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
