interface Tail {
  readonly done: Promise<unknown>
  readonly write: () => Promise<unknown>
}

/** Runs the writes of each session one after the other, because the connections of a pool keep no order. */
export class OrderedWrites {
  readonly #tails = new Map<string, Tail>()

  run<T>(sessionId: string, write: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(sessionId)?.done
    const done = before === undefined ? write() : before.then(write, write)
    const tail = { done, write }
    this.#tails.set(sessionId, tail)
    const forget = (): void => {
      if (this.#tails.get(sessionId) === tail) this.#tails.delete(sessionId)
    }
    done.then(forget, forget)
    return done
  }

  /** Whether nothing was added for the session since this write. */
  isLast(sessionId: string, write: () => Promise<unknown>): boolean {
    return this.#tails.get(sessionId)?.write === write
  }

  /** Resolves when no write is pending. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#tails.values()].map(({ done }) => done))
  }
}
