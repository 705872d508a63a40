import { invalidParams } from '../../protocol/error.ts'

const MAX_QUOTED = 100

/** Things of one kind by their key, with the list that clients see. */
export class Shelf<Item, Listed> {
  readonly #kind: string
  readonly #toListed: (item: Item) => Listed
  readonly #itemsByKey = new Map<string, Item>()
  // Rebuilt on change only: an unchanged array means that its serialised form is still good.
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

  /** The item that a client named; it hears if there is none. */
  require(key: string): Item {
    const item = this.#itemsByKey.get(key)
    if (item === undefined)
      throw invalidParams(`unknown ${this.#kind}: ${key.slice(0, MAX_QUOTED)}`)
    return item
  }

  add(key: string, item: Item): void {
    this.#refuseDouble(key)
    this.#itemsByKey.set(key, item)
    this.#list = [...this.#list, this.#toListed(item)]
  }

  /** Makes sure that all items of another shelf have room here; the result takes them over. */
  admit(other: Shelf<Item, Listed>): () => void {
    for (const key of other.#itemsByKey.keys()) this.#refuseDouble(key)
    return () => {
      for (const [key, item] of other.#itemsByKey) this.add(key, item)
    }
  }

  #refuseDouble(key: string): void {
    if (this.#itemsByKey.has(key)) throw new Error(`${this.#kind} ${key} is defined twice`)
  }
}
