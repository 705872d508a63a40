import type { RequestId } from '../../protocol/json-rpc.ts'
import type { Limits } from '../limits.ts'
import type { Call } from './call.ts'
import type { SharedPlaces } from './shared-places.ts'

const LONGEST_TIMER_MS = 2 ** 31 - 1

/** What became of a call that was handed to the queue. */
export type Admission = 'accepted' | 'duplicate' | 'full'

/** What a queue needs from its connection. */
export interface CallRunner {
  run(call: Call): Promise<void>
  /** Ends a call that has taken too long, and releases it. */
  timeOut(call: Call): void
}

/**
 * Holds a call until it is released. The engine keeps what was in the outgrown tables of a long-lived map until the next
 * full collection; that must be an empty place, not a call with all that it refers to.
 */
interface Place {
  call: Call | undefined
}

/**
 * The calls of one connection: which ids are in use, which calls run and which wait.
 * A cancelled call frees its id at once but keeps its place until its handler has really stopped;
 * otherwise a client could start any number of handlers by cancelling each.
 */
export class CallQueue {
  readonly #limits: Limits
  readonly #runner: CallRunner
  readonly #shared: SharedPlaces
  readonly #placesById = new Map<RequestId, Place>()
  readonly #waiting = new Set<Call>()
  readonly #detached = new Set<Call>()
  #running = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #waiters = new Set<() => void>()

  constructor(limits: Limits, runner: CallRunner, shared: SharedPlaces) {
    this.#limits = limits
    this.#runner = runner
    this.#shared = shared
  }

  /** Starts a call, or lets it wait for its turn. */
  add(call: Call): Admission {
    if (this.#placesById.has(call.requestId)) return 'duplicate'
    const hasRoom = this.#running < this.#limits.concurrency
    if (hasRoom && this.#shared.take()) {
      this.#placesById.set(call.requestId, { call })
      this.#start(call)
      return 'accepted'
    }
    if (this.#waiting.size >= this.#limits.queue || (hasRoom && this.#shared.isCrowded))
      return 'full'
    this.#placesById.set(call.requestId, { call })
    this.#waiting.add(call)
    if (hasRoom) this.#shared.wait(this)
    this.#watchTime()
    return 'accepted'
  }

  /** Starts the call that has waited longest, as soon as there is a place for it. */
  startNext(): void {
    const [next] = this.#waiting
    if (next === undefined || this.#running >= this.#limits.concurrency) return
    if (this.#shared.take()) {
      this.#waiting.delete(next)
      this.#start(next)
    }
    if (this.#waiting.size > 0 && this.#running < this.#limits.concurrency) this.#shared.wait(this)
  }

  /** The call that uses this id now. */
  get(id: RequestId): Call | undefined {
    return this.#placesById.get(id)?.call
  }

  /** The call with this progress token that came first of those that have not ended. */
  findByToken(progressToken: string | number): Call | undefined {
    for (const { call } of this.#placesById.values())
      if (call?.settled === false && call.envelope.meta['progressToken'] === progressToken)
        return call
    return undefined
  }

  /** Lets a call stay open without taking a place or running out of time: it waits for events. */
  detach(call: Call): void {
    this.#detached.add(call)
    this.#leavePlace()
    this.#wake()
  }

  /** Forgets a call that was answered or abandoned, so that its id may be used again. */
  release(call: Call): void {
    const place = this.#placesById.get(call.requestId)
    if (place?.call === call) {
      place.call = undefined
      this.#placesById.delete(call.requestId)
    }
    if (!this.#waiting.delete(call) || this.#waiting.size > 0) return
    this.#shared.forget(this)
    this.#wake()
  }

  /** All calls that have not ended. */
  calls(): Call[] {
    return [...this.#placesById.values()].flatMap(({ call }) => call ?? [])
  }

  /** Those that have not begun. */
  waiting(): Call[] {
    return [...this.#waiting]
  }

  /** Watches the time of no call any more; to be called once nothing will be added. */
  stopWatching(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** Resolves when no handler runs and none waits. */
  drained(): Promise<void> {
    return this.#until(() => this.#running + this.#waiting.size === 0)
  }

  /** Resolves when every request is over, those included that wait for events. */
  idle(): Promise<void> {
    return this.#until(() => this.#running === 0 && this.#placesById.size === 0)
  }

  #until(isReached: () => boolean): Promise<void> {
    if (isReached()) return Promise.resolve()
    return new Promise((resolve) => {
      const check = (): void => {
        if (!isReached()) return
        this.#waiters.delete(check)
        resolve()
      }
      this.#waiters.add(check)
    })
  }

  #start(call: Call): void {
    this.#running++
    void this.#run(call)
    if (!call.settled) this.#watchTime()
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
    if (!this.#detached.delete(call)) this.#leavePlace()
    this.#wake()
  }

  #wake(): void {
    for (const check of this.#waiters) check()
  }

  #leavePlace(): void {
    this.#running--
    this.#shared.leave()
    this.startNext()
  }

  // One timer serves all calls; it runs from the moment the one with the least time left needs it.
  #watchTime(): void {
    if (this.#limits.requestMs === 0 || this.#timer !== undefined) return
    this.#arm(this.#limits.requestMs)
  }

  #arm(delay: number): void {
    // A timer that is asked to wait longer does not wait at all; whoever still has time then is watched again.
    this.#timer = setTimeout(() => this.#expire(), Math.min(delay, LONGEST_TIMER_MS))
    this.#timer.unref?.()
  }

  #expire(): void {
    this.#timer = undefined
    const now = performance.now()
    let next = Number.POSITIVE_INFINITY
    for (const call of this.calls()) {
      if (this.#detached.has(call)) continue
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
