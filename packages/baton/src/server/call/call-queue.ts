import type { RequestId } from '../../protocol/json-rpc.ts'
import type { Limits } from '../limits.ts'
import type { Call } from './call.ts'

/** The longest delay of `setTimeout`; with a longer one it fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Whether the queue accepted a call. */
export type Admission = 'accepted' | 'duplicate' | 'full'

/** What a queue needs from its connection. */
export interface CallRunner {
  run(call: Call): Promise<void>
  /** Ends a call that has timed out, and releases it. */
  timeOut(call: Call): void
}

/**
 * Holds a call until it is released. V8 keeps the old backing stores of a long-lived map until the next full garbage
 * collection; what it keeps must be an empty slot, not a call with everything that it refers to.
 */
interface Slot {
  call: Call | undefined
}

/**
 * The calls of one connection: the ids in use, the running calls and the waiting calls.
 * A cancelled call frees its id at once but counts as running until its handler has really stopped;
 * otherwise a client could start any number of handlers by cancelling each.
 */
export class CallQueue {
  readonly #limits: Limits
  readonly #runner: CallRunner
  readonly #limiter: ConcurrencyLimiter
  readonly #slotsById = new Map<RequestId, Slot>()
  // Created on first use: a stateless request has a queue of its own, and seldom any of them.
  #waiting: Set<Call> | undefined
  #detached: Set<Call> | undefined
  #waiters: Set<() => void> | undefined
  #running = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(limits: Limits, runner: CallRunner, limiter: ConcurrencyLimiter) {
    this.#limits = limits
    this.#runner = runner
    this.#limiter = limiter
  }

  /** Starts a call, or queues it. */
  add(call: Call): Admission {
    if (this.#slotsById.has(call.requestId)) return 'duplicate'
    const hasCapacity = this.#running < this.#limits.concurrency
    if (hasCapacity && this.#limiter.tryAcquire()) {
      this.#slotsById.set(call.requestId, { call })
      this.#start(call)
      return 'accepted'
    }
    if (
      (this.#waiting?.size ?? 0) >= this.#limits.queue ||
      (hasCapacity && this.#limiter.isQueueFull)
    )
      return 'full'
    this.#slotsById.set(call.requestId, { call })
    this.#waiting ??= new Set()
    this.#waiting.add(call)
    if (hasCapacity) this.#limiter.enqueue(this)
    this.#startTimer()
    return 'accepted'
  }

  /** Starts the call that has waited longest, if it can run now. */
  startNext(): void {
    if (this.#waiting === undefined) return
    const [next] = this.#waiting
    if (next === undefined || this.#running >= this.#limits.concurrency) return
    if (this.#limiter.tryAcquire()) {
      this.#waiting.delete(next)
      this.#start(next)
    }
    if (this.#waiting.size > 0 && this.#running < this.#limits.concurrency)
      this.#limiter.enqueue(this)
  }

  /** The call with this id. */
  get(id: RequestId): Call | undefined {
    return this.#slotsById.get(id)?.call
  }

  /** The oldest unsettled call with this progress token. */
  findByToken(progressToken: string | number): Call | undefined {
    for (const { call } of this.#slotsById.values())
      if (call?.settled === false && call.envelope.meta['progressToken'] === progressToken)
        return call
    return undefined
  }

  /** Keeps a call open without counting it as running and without a timeout: it waits for events or became a task. */
  detach(call: Call): void {
    this.#detached ??= new Set()
    this.#detached.add(call)
    this.#releaseSlot()
    this.#wake()
  }

  /** Removes a call that was answered or abandoned, so that its id may be used again. */
  release(call: Call): void {
    const slot = this.#slotsById.get(call.requestId)
    if (slot?.call === call) {
      slot.call = undefined
      this.#slotsById.delete(call.requestId)
    }
    if (this.#waiting?.delete(call) !== true || this.#waiting.size > 0) return
    this.#limiter.dequeue(this)
    this.#wake()
  }

  /** All calls that are not released. */
  calls(): Call[] {
    if (this.#slotsById.size === 0) return []
    return [...this.#slotsById.values()].flatMap(({ call }) => call ?? [])
  }

  /** The calls that have not started. */
  waiting(): Call[] {
    return [...(this.#waiting ?? [])]
  }

  /** Stops the timeout timer; to be called when no more calls are added. */
  stopTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** Resolves when no handler runs or waits. */
  drained(): Promise<void> {
    return this.#until(() => this.#running + (this.#waiting?.size ?? 0) === 0)
  }

  /** Resolves when every call has ended, including those that wait for events. */
  idle(): Promise<void> {
    return this.#until(() => this.#running === 0 && this.#slotsById.size === 0)
  }

  #until(isReached: () => boolean): Promise<void> {
    if (isReached()) return Promise.resolve()
    return new Promise((resolve) => {
      const check = (): void => {
        if (!isReached()) return
        this.#waiters?.delete(check)
        resolve()
      }
      this.#waiters ??= new Set()
      this.#waiters.add(check)
    })
  }

  #start(call: Call): void {
    this.#running++
    void this.#run(call)
    if (!call.settled) this.#startTimer()
  }

  async #run(call: Call): Promise<void> {
    try {
      await this.#runner.run(call)
    } finally {
      this.#finish(call)
    }
  }

  #finish(call: Call): void {
    this.release(call)
    if (this.#detached?.delete(call) !== true) this.#releaseSlot()
    this.#wake()
  }

  #wake(): void {
    if (this.#waiters === undefined) return
    for (const check of this.#waiters) check()
  }

  #releaseSlot(): void {
    this.#running--
    this.#limiter.release()
    this.startNext()
  }

  // One timer serves all calls; it is set for the one with the least time left.
  #startTimer(): void {
    if (this.#limits.requestMs === 0 || this.#timer !== undefined) return
    this.#arm(this.#limits.requestMs)
  }

  #arm(delay: number): void {
    // Calls with more time left than the timer can wait are checked again when it fires.
    this.#timer = setTimeout(() => this.#expire(), Math.min(delay, MAX_TIMER_MS))
    this.#timer.unref?.()
  }

  #expire(): void {
    this.#timer = undefined
    const now = performance.now()
    let next = Number.POSITIVE_INFINITY
    for (const call of this.calls()) {
      if (this.#detached?.has(call) === true) continue
      const left = this.#limits.requestMs - call.elapsed(now)
      if (left > 0) {
        next = Math.min(next, left)
      } else {
        this.#runner.timeOut(call)
      }
    }
    if (next < Number.POSITIVE_INFINITY) this.#arm(next)
  }
}

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
