import { closeSync, type FSWatcher, watch, writeSync } from 'node:fs'
import { openRegularFile } from '../files/regular-file.ts'

/** How late a commit may be noticed where file events do not work. */
const POLL_MS = 1000

/**
 * Tells every process that somebody has committed. After a commit one byte goes to a file that the others watch. The
 * database's own files will not do: the log is written before its index, and a reader woken by the log may still
 * see the old state and is not woken again.
 */
export class Bell {
  readonly #path: string
  readonly #hasChanged: () => boolean
  readonly #listeners = new Set<() => void>()
  #watcher: FSWatcher | undefined
  #timer: NodeJS.Timeout | undefined

  /** `hasChanged` says whether there was a commit since it was last asked. */
  constructor(path: string, hasChanged: () => boolean) {
    this.#path = path
    this.#hasChanged = hasChanged
  }

  /** Never throws: the commit has happened, and a bell that is not heard is made good by the poll. */
  ring(): void {
    try {
      ringAt(this.#path)
    } catch {
      // see above
    }
    this.#check()
  }

  watch(listener: () => void): () => void {
    const entry = (): void => listener()
    this.#listeners.add(entry)
    if (this.#listeners.size === 1) this.#start()
    return () => {
      if (this.#listeners.delete(entry) && this.#listeners.size === 0) this.#stop()
    }
  }

  close(): void {
    this.#listeners.clear()
    this.#stop()
  }

  #start(): void {
    this.#hasChanged()
    this.#listen()
    this.#timer = setInterval(() => {
      if (this.#watcher === undefined) this.#listen()
      this.#check()
    }, POLL_MS).unref()
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#deafen()
  }

  #listen(): void {
    try {
      this.#watcher = watch(this.#path, { persistent: false }, (event) => {
        // Moved or deleted: the next poll looks for a new one.
        if (event === 'rename') this.#deafen()
        this.#check()
      }).on('error', () => this.#deafen())
    } catch {
      // No file or no file events here: the poll goes on alone.
    }
  }

  #deafen(): void {
    this.#watcher?.close()
    this.#watcher = undefined
  }

  #check(): void {
    if (this.#listeners.size === 0 || !this.#hasChanged()) return
    // A listener that throws is its owner's problem, not its neighbours'.
    for (const listener of this.#listeners) queueMicrotask(listener)
  }
}

function ringAt(path: string): void {
  const file = openRegularFile(path, 'write')
  if (file === undefined) return
  try {
    writeSync(file, '.', 0)
  } finally {
    closeSync(file)
  }
}
