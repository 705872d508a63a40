import { invalidParams } from '../../protocol/error.ts'

const MAX_QUOTED = 100

/** Definitions of one kind by key, with the list that clients get. */
export class Catalog<Item, Listed> {
  readonly #kind: string
  readonly #toListed: (item: Item) => Listed
  readonly #itemsByKey = new Map<string, Item>()
  // Replaced only on change: an unchanged array means that its serialised form is still valid.
  #list: readonly Listed[] = []

  constructor(kind: string, toListed: (item: Item) => Listed) {
    this.#kind = kind
    this.#toListed = toListed
  }

  get size(): number {
    return this.#itemsByKey.size
  }

  get list(): readonly Listed[] {
    return this.#list
  }

  items(): Iterable<Item> {
    return this.#itemsByKey.values()
  }

  get(key: string): Item | undefined {
    return this.#itemsByKey.get(key)
  }

  /** The item with this key; throws a protocol error that names the key if there is none. */
  require(key: string): Item {
    const item = this.#itemsByKey.get(key)
    if (item === undefined)
      throw invalidParams(`unknown ${this.#kind}: ${key.slice(0, MAX_QUOTED)}`)
    return item
  }

  add(key: string, item: Item): void {
    this.#assertUnique(key)
    this.#itemsByKey.set(key, item)
    this.#list = [...this.#list, this.#toListed(item)]
  }

  /** Checks that no key of another catalog exists here; returns the function that adds its items. */
  prepareMerge(other: Catalog<Item, Listed>): () => void {
    for (const key of other.#itemsByKey.keys()) this.#assertUnique(key)
    return () => {
      for (const [key, item] of other.#itemsByKey) this.add(key, item)
    }
  }

  #assertUnique(key: string): void {
    if (this.#itemsByKey.has(key)) throw new Error(`${this.#kind} ${key} is defined twice`)
  }
}
