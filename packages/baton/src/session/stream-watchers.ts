/** The callbacks to call when a stream changes. */
export class StreamWatchers {
  readonly #wakersByStream = new Map<string, Set<() => void>>()

  get size(): number {
    return this.#wakersByStream.size
  }

  has(streamId: string): boolean {
    return this.#wakersByStream.has(streamId)
  }

  streamIds(): string[] {
    return [...this.#wakersByStream.keys()]
  }

  add(streamId: string, wake: () => void): () => void {
    const wakers = this.#wakersByStream.get(streamId) ?? new Set()
    this.#wakersByStream.set(streamId, wakers.add(wake))
    return () => {
      wakers.delete(wake)
      if (wakers.size === 0 && this.#wakersByStream.get(streamId) === wakers)
        this.#wakersByStream.delete(streamId)
    }
  }

  wake(streamId: string): void {
    for (const wake of this.#wakersByStream.get(streamId) ?? []) wake()
  }

  wakeAll(): void {
    for (const wakers of this.#wakersByStream.values()) for (const wake of wakers) wake()
  }
}
