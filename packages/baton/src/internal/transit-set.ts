/**
 * A set of things that come and go with every request. The engine keeps what was in the outgrown tables of a long-lived
 * `Set` until the next full collection; here that is empty cells and not the things with all that they refer to.
 */
export class TransitSet<Item extends object> implements Iterable<Item> {
  readonly #cells = new Set<{ item: Item | undefined }>()

  /** Adds an item; call the result when it leaves. */
  add(item: Item): () => void {
    const cell: { item: Item | undefined } = { item }
    this.#cells.add(cell)
    return () => {
      cell.item = undefined
      this.#cells.delete(cell)
    }
  }

  *[Symbol.iterator](): Iterator<Item> {
    for (const { item } of this.#cells) if (item !== undefined) yield item
  }
}
