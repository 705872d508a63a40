import type { Limits } from '../limits.ts'

/** A connection with queued calls. */
interface Waiter {
  /** Starts a queued call if it can acquire a slot. */
  startNext(): void
}

/**
 * Limits how many calls of one server run at the same time. All connections share its slots: a connection that finds none
 * free is queued and gets one slot in its turn, so a connection with many calls does not starve the others.
 */
export class ConcurrencyLimiter {
  readonly #limits: Limits
  readonly #waiting = new Set<Waiter>()
  #acquired = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Whether no more connections may wait. Where each request has its own connection, this bounds waiting requests. */
  get isQueueFull(): boolean {
    return this.#waiting.size >= this.#limits.queue
  }

  /** Acquires a slot if one is free. */
  tryAcquire(): boolean {
    if (this.#acquired >= this.#limits.totalConcurrency) return false
    this.#acquired++
    return true
  }

  /** Releases a slot and lets waiting connections use it, in the order in which they were queued. */
  release(): void {
    this.#acquired--
    for (const waiter of this.#waiting) {
      if (this.#acquired >= this.#limits.totalConcurrency) return
      this.#waiting.delete(waiter)
      waiter.startNext()
    }
  }

  enqueue(waiter: Waiter): void {
    this.#waiting.add(waiter)
  }

  dequeue(waiter: Waiter): void {
    this.#waiting.delete(waiter)
  }
}
