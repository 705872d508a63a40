import type { RequestId } from '../../protocol/json-rpc.ts'
import type { Limits } from '../limits.ts'
import type { Call } from './call.ts'

/** What became of a call that was handed to the queue. */
export type Admission = 'accepted' | 'duplicate' | 'full'

/** What a queue needs from its connection. */
export interface CallRunner {
  run(call: Call): Promise<void>
  timeOut(call: Call): void
}

/**
 * The calls of one connection: which ids are in use, which calls run and which wait.
 * A cancelled call frees its id at once but keeps its place until its handler has really stopped;
 * otherwise a client could start any number of handlers by cancelling each.
 */
export class CallQueue {
  readonly #limits: Limits
  readonly #runner: CallRunner
  readonly #callsById = new Map<RequestId, Call>()
  readonly #waiting = new Set<Call>()
  readonly #detached = new Set<Call>()
  #running = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #waiters = new Set<() => void>()

  constructor(limits: Limits, runner: CallRunner) {
    this.#limits = limits
    this.#runner = runner
  }

  /** Starts a call, or lets it wait for its turn. */
  add(call: Call): Admission {
    if (this.#callsById.has(call.requestId)) return 'duplicate'
    if (this.#running < this.#limits.concurrency) {
      this.#callsById.set(call.requestId, call)
      this.#start(call)
      return 'accepted'
    }
    if (this.#waiting.size >= this.#limits.queue) return 'full'
    this.#callsById.set(call.requestId, call)
    this.#waiting.add(call)
    return 'accepted'
  }

  /** The call that uses this id now. */
  get(id: RequestId): Call | undefined {
    return this.#callsById.get(id)
  }

  /** Lets a call stay open without taking a place or running out of time: it waits for events. */
  detach(call: Call): void {
    this.#detached.add(call)
    this.#leavePlace()
    this.#wake()
  }

  /** Forgets a call that was answered or abandoned, so that its id may be used again. */
  release(call: Call): void {
    if (this.#callsById.get(call.requestId) === call) this.#callsById.delete(call.requestId)
    this.#waiting.delete(call)
  }

  /** All calls that have not ended. */
  calls(): Call[] {
    return [...this.#callsById.values()]
  }

  /** Watches the time of no call any more; to be called once nothing will be added. */
  stopWatching(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** Resolves when no handler runs and none waits. */
  drained(): Promise<void> {
    return this.#until(() => this.#running === 0)
  }

  /** Resolves when every request is over, those included that wait for events. */
  idle(): Promise<void> {
    return this.#until(() => this.#running === 0 && this.#callsById.size === 0)
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
    void this.#runner.run(call).finally(() => this.#finish(call))
    if (!call.settled) this.#watchTime()
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
    for (const next of this.#waiting) {
      this.#waiting.delete(next)
      this.#start(next)
      return
    }
  }

  // One timer serves all calls; it runs from the moment the one with the least time left needs it.
  #watchTime(): void {
    if (this.#limits.requestMs === 0 || this.#timer !== undefined) return
    this.#arm(this.#limits.requestMs)
  }

  #arm(delay: number): void {
    this.#timer = setTimeout(() => this.#expire(), delay)
    this.#timer.unref?.()
  }

  #expire(): void {
    this.#timer = undefined
    const now = performance.now()
    let next = Number.POSITIVE_INFINITY
    for (const call of this.#callsById.values()) {
      if (this.#detached.has(call)) continue
      const left = this.#limits.requestMs - call.elapsed(now)
      if (left > 0) {
        next = Math.min(next, left)
      } else {
        this.#runner.timeOut(call)
        this.release(call)
      }
    }
    if (next < Number.POSITIVE_INFINITY) this.#arm(next)
  }
}
