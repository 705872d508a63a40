/**
 * A set of objects that live as long as a request. V8 keeps the old backing stores of a long-lived `Set` until the next
 * full garbage collection, and with them every deleted entry; here those entries are emptied cells, not the objects.
 */
export class InFlight<Item extends object> implements Iterable<Item> {
  readonly #cells = new Set<{ item: Item | undefined }>()

  /** Adds an item and returns the function that removes it. */
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
