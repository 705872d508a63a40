import type { Limits } from '../limits.ts'

/** A connection with calls that wait. */
interface Waiter {
  /** Takes a place if it still needs one. */
  startNext(): void
}

/**
 * The places of one server for running calls, which all its connections share. A connection that finds none free waits
 * for its turn, and a turn is one place: a connection with many calls does not keep out the others.
 */
export class SharedPlaces {
  readonly #limits: Limits
  readonly #waiting = new Set<Waiter>()
  #taken = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** True if no more connections may wait: where each request has its own, these are the requests. */
  get isCrowded(): boolean {
    return this.#waiting.size >= this.#limits.queue
  }

  /** Takes a place, if there is one. */
  take(): boolean {
    if (this.#taken >= this.#limits.totalConcurrency) return false
    this.#taken++
    return true
  }

  leave(): void {
    this.#taken--
    for (const waiter of this.#waiting) {
      if (this.#taken >= this.#limits.totalConcurrency) return
      this.#waiting.delete(waiter)
      waiter.startNext()
    }
  }

  wait(waiter: Waiter): void {
    this.#waiting.add(waiter)
  }

  forget(waiter: Waiter): void {
    this.#waiting.delete(waiter)
  }
}
