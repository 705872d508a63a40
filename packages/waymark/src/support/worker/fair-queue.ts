/** A queue that serves its owners round-robin, so that one with many values does not hold up the others. */
export class FairQueue<Owner, Value> {
  /** The owner that is served next comes first. */
  readonly #byOwner = new Map<Owner, Value[]>()

  get isEmpty(): boolean {
    return this.#byOwner.size === 0
  }

  add(owner: Owner, value: Value): void {
    const values = this.#byOwner.get(owner)
    if (values === undefined) this.#byOwner.set(owner, [value])
    else values.push(value)
  }

  next(): Value | undefined {
    const [served] = this.#byOwner
    if (served === undefined) return undefined
    const [owner, values] = served
    const value = values.shift()
    this.#byOwner.delete(owner)
    if (values.length > 0) this.#byOwner.set(owner, values)
    return value
  }

  remove(owner: Owner): readonly Value[] {
    const values = this.#byOwner.get(owner) ?? []
    this.#byOwner.delete(owner)
    return values
  }

  clear(): readonly Value[] {
    const values = [...this.#byOwner.values()].flat()
    this.#byOwner.clear()
    return values
  }
}
