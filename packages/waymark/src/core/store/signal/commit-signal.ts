import { closeSync, type FSWatcher, watch, writeSync } from 'node:fs'
import { openRegularFile } from '../../../support/files/regular-file.ts'
import type { WatchOptions } from '../store.ts'

/** How late a commit may be noticed where file events do not work. */
const POLL_MS = 1000

/**
 * How soon after a look a signal is left for the next one: the file also wakes the process that wrote it. Nor is it
 * written sooner again, because whoever it wakes would not look.
 */
const LOOK_MS = 10

/** The same while no listener is in a hurry. */
const UNHURRIED_MS = 250

/** How long the file stays open: a series of commits opens it once, and a file that was replaced is soon noticed. */
const OPEN_MS = 1000

interface Listener {
  readonly call: () => void
  readonly isUrgent: () => boolean
}

/**
 * Signals commits between processes: each commit writes one byte to a file that the others watch. The database's own
 * files cannot be watched instead: the log is written before its index, so a reader that the log wakes may still see
 * the old state and is not woken again.
 */
export class CommitSignal {
  readonly #path: string
  readonly #file: SignalFile
  readonly #hasChanged: () => boolean
  readonly #listeners = new Set<Listener>()
  #watcher: FSWatcher | undefined
  #timer: NodeJS.Timeout | undefined
  #lookedAt = 0
  #look: NodeJS.Timeout | undefined

  /** `hasChanged` returns whether there was a commit since its last call. */
  constructor(path: string, hasChanged: () => boolean) {
    this.#path = path
    this.#file = new SignalFile(path)
    this.#hasChanged = hasChanged
  }

  /** Never throws: the transaction is committed, and a lost signal is made up for by the poll. */
  notify(): void {
    try {
      this.#file.write()
    } catch {
      // see above
    }
    this.#check()
  }

  watch(call: () => void, { isUrgent = () => true }: WatchOptions = {}): () => void {
    const listener: Listener = { call, isUrgent }
    this.#listeners.add(listener)
    if (this.#listeners.size === 1) this.#start()
    // A look that is left for later may be too late for it.
    if (this.#look !== undefined && isUrgent()) this.#lookSoon(LOOK_MS)
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#stop()
    }
  }

  close(): void {
    this.#listeners.clear()
    this.#stop()
    this.#file.close()
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
    clearTimeout(this.#look)
    this.#look = undefined
    this.#unwatch()
  }

  #listen(): void {
    try {
      this.#watcher = watch(this.#path, { persistent: false }, (event) => {
        // Moved or deleted: the next poll looks for a new one.
        if (event === 'rename') this.#unwatch()
        this.#check()
      }).on('error', () => this.#unwatch())
    } catch {
      // No file or no file events: only the poll.
    }
  }

  #unwatch(): void {
    this.#watcher?.close()
    this.#watcher = undefined
  }

  /** Looks now, or a little later where it has just looked. */
  #check(): void {
    if (this.#listeners.size === 0 || this.#look !== undefined) return
    const since = process.uptime() * 1000 - this.#lookedAt
    const pause = this.#isUrgent() ? LOOK_MS : UNHURRIED_MS
    if (since >= pause) return this.#tell()
    this.#lookSoon(pause - since)
  }

  #isUrgent(): boolean {
    for (const { isUrgent } of this.#listeners) if (isUrgent()) return true
    return false
  }

  #lookSoon(milliseconds: number): void {
    clearTimeout(this.#look)
    this.#look = setTimeout(() => {
      this.#look = undefined
      this.#tell()
    }, milliseconds).unref()
  }

  #tell(): void {
    this.#lookedAt = process.uptime() * 1000
    if (!this.#hasChanged()) return
    // A microtask each, so that a listener that throws does not stop the others.
    for (const { call } of this.#listeners) queueMicrotask(call)
  }
}

/** A file that is written to wake the processes that watch it. */
class SignalFile {
  readonly #path: string
  #file: number | undefined
  #timer: NodeJS.Timeout | undefined
  #wroteAt = -LOOK_MS
  #next: NodeJS.Timeout | undefined

  constructor(path: string) {
    this.#path = path
  }

  /** Now, or a little later where it has just been written. */
  write(): void {
    if (this.#next !== undefined) return
    const since = process.uptime() * 1000 - this.#wroteAt
    if (since >= LOOK_MS) return this.#put()
    this.#next = setTimeout(() => this.#flush(), LOOK_MS - since).unref()
  }

  close(): void {
    this.#flush()
    this.#release()
  }

  /** Never throws: it runs when nothing can catch it. */
  #flush(): void {
    if (this.#next === undefined) return
    clearTimeout(this.#next)
    this.#next = undefined
    try {
      this.#put()
    } catch {
      // The poll makes up for a lost signal.
    }
  }

  #put(): void {
    this.#wroteAt = process.uptime() * 1000
    this.#file ??= this.#open()
    if (this.#file !== undefined) writeSync(this.#file, '.', 0)
  }

  #release(): void {
    clearTimeout(this.#timer)
    const file = this.#file
    this.#file = undefined
    if (file !== undefined) closeSync(file)
  }

  #open(): number | undefined {
    const file = openRegularFile(this.#path, 'write')
    if (file !== undefined) this.#timer = setTimeout(() => this.#release(), OPEN_MS).unref()
    return file
  }
}
