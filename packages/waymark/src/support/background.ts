import { setTimeout as delay } from 'node:timers/promises'

/** Work for later questions, one piece after the other. It keeps no process alive and ends with its owner. */
export class Background implements AsyncDisposable {
  readonly #stopped = new AbortController()
  readonly #names = new Set<string>()
  #last: Promise<void> = Promise.resolve()

  /** Adds work, unless work of that name is waiting or under way. Errors are dropped: the next question meets them. */
  add(name: string, work: (signal: AbortSignal) => Promise<void>): void {
    const { signal } = this.#stopped
    if (this.#names.has(name) || signal.aborted) return
    this.#names.add(name)
    this.#last = this.#last
      .then(() => delay(0, undefined, { ref: false, signal }))
      .then(() => work(signal))
      .catch(() => undefined)
      .finally(() => this.#names.delete(name))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort()
    await this.#last
  }
}
