import { closeSync, readSync, writeSync } from 'node:fs'
import { openRegularFile } from '../../support/files/regular-file.ts'

const PLACES = 128
/** Of one slot: the process, since when it waits, and its last heartbeat. */
const FIELDS = 3
const PLACE_BYTES = FIELDS * Float64Array.BYTES_PER_ELEMENT
/** A process without a heartbeat for this long is dead, paused or busy, and is skipped. */
const SIGN_OF_LIFE_MS = 150

/**
 * Queue of the processes that wait for the write lock, in a shared file. It is advisory, for fairness only: without it,
 * or with garbage in it, the lock is as safe and goes to a random process, and some would wait five times as long as
 * the others.
 */
export class LockQueue {
  readonly #path: string
  readonly #clock: () => number
  readonly #me = Math.random()
  readonly #places = new Float64Array(PLACES * FIELDS)
  #file: number | undefined
  /** Since when this process waits, or undefined when it does not. */
  #since: number | undefined
  #place: number | undefined

  constructor(path: string, clock = monotonic) {
    this.#path = path
    this.#clock = clock
  }

  /** How many processes have waited longer: all of them as long as this one has not called `wait`. */
  ahead(): number {
    this.#file ??= open(this.#path, 'write')
    if (this.#file === undefined) return 0
    this.#read(this.#file)
    const now = this.#clock()
    const since = this.#since ?? now
    let count = 0
    for (let place = 0; place < PLACES; place += 1) {
      if (this.#isTaken(place, now) && this.#isBefore(place, since)) count += 1
    }
    return count
  }

  /** Enters at the end of the queue, or sends a heartbeat. */
  wait(): void {
    this.#file ??=
      open(this.#path, 'write') ?? open(this.#path, 'create') ?? open(this.#path, 'write')
    if (this.#file === undefined) return
    const now = this.#clock()
    this.#since ??= now
    if (this.#place === undefined || this.#places[this.#place * FIELDS] !== this.#me) {
      this.#read(this.#file)
      this.#place = this.#freePlace(now)
    }
    this.#write([this.#me, this.#since, now])
  }

  leave(): void {
    if (this.#place !== undefined) this.#write([0, 0, 0])
    this.#place = undefined
    this.#since = undefined
  }

  close(): void {
    this.leave()
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }

  #isTaken(place: number, now: number): boolean {
    const sign = this.#places[place * FIELDS + 2] ?? 0
    // After a reboot the clock restarts, and old heartbeats are in the future.
    return sign > 0 && sign > now - SIGN_OF_LIFE_MS && sign <= now + SIGN_OF_LIFE_MS
  }

  #isBefore(place: number, since: number): boolean {
    const who = this.#places[place * FIELDS] ?? 0
    const other = this.#places[place * FIELDS + 1] ?? 0
    return who !== this.#me && (other < since || (other === since && who < this.#me))
  }

  #freePlace(now: number): number | undefined {
    const first = Math.floor(Math.random() * PLACES)
    for (let step = 0; step < PLACES; step += 1) {
      const place = (first + step) % PLACES
      if (!this.#isTaken(place, now)) return place
    }
    return undefined
  }

  #read(file: number): void {
    try {
      const length = readSync(file, this.#places, 0, this.#places.byteLength, 0)
      this.#places.fill(0, Math.floor(length / Float64Array.BYTES_PER_ELEMENT))
    } catch {
      this.#places.fill(0)
    }
  }

  /** Disk errors are left to the transaction to report. */
  #write(values: readonly [number, number, number]): void {
    if (this.#file === undefined || this.#place === undefined) return
    this.#places.set(values, this.#place * FIELDS)
    try {
      writeSync(this.#file, new Float64Array(values), 0, PLACE_BYTES, this.#place * PLACE_BYTES)
    } catch {
      this.#place = undefined
    }
  }
}

/** Monotonic clock that all processes of a machine share. */
function monotonic(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000
}

function open(path: string, access: 'write' | 'create'): number | undefined {
  try {
    return openRegularFile(path, access)
  } catch {
    return undefined
  }
}
