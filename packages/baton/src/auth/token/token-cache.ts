/** Caches verified tokens by their hash, so that memory never holds a usable token. */
export class TokenCache<T> {
  readonly #now: () => number
  readonly #entriesByHash = new Map<string, { readonly value: T; readonly until: number }>()

  constructor(now: () => number) {
    this.#now = now
  }

  get(hash: string): T | undefined {
    const entry = this.#entriesByHash.get(hash)
    if (entry === undefined || entry.until <= this.#now()) return undefined
    return entry.value
  }

  /** Caches a value until its token expires, at most for one minute. */
  set(hash: string, value: T, expiresAt: number): void {
    this.#entriesByHash.delete(hash)
    if (this.#entriesByHash.size >= MAX_ENTRIES) this.#dropOldest()
    const until = Math.min(expiresAt, this.#now() + MAX_AGE_MS)
    this.#entriesByHash.set(hash, { value, until })
  }

  #dropOldest(): void {
    for (const hash of this.#entriesByHash.keys()) {
      this.#entriesByHash.delete(hash)
      return
    }
  }
}

const MAX_AGE_MS = 60_000
const MAX_ENTRIES = 1_000
