/** Parts that show more than rows of tasks say which events concern them, and load again when one arrives. */
type Listener = (type: string, subject: string | undefined) => void

const listeners = new Set<Listener>()

export function onEvent(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** `*` stands for everything: a snapshot was loaded. */
export function announce(type: string, subject?: number | string): void {
  for (const listener of listeners)
    listener(type, subject === undefined ? undefined : String(subject))
}
