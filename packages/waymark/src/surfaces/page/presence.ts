/** Who looks at or edits what. Told to open pages of this server, and never stored. */
export interface Presence {
  /** Number or id of what is looked at. */
  readonly subject: string
  readonly who: string
  /** The field that is edited. */
  readonly editing?: string | undefined
}

type Listener = (presence: Presence) => void

export class PresenceHub {
  readonly #listeners = new Set<Listener>()

  tell(presence: Presence): void {
    for (const listener of this.#listeners) listener(presence)
  }

  listen(listener: Listener): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }
}
