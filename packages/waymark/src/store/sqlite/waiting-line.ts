import { closeSync, readSync, writeSync } from 'node:fs'
import { openRegularFile } from '../../files/regular-file.ts'

const PLACES = 128
/** Of one place: who waits there, since when, and its last sign of life. */
const FIELDS = 3
const PLACE_BYTES = FIELDS * Float64Array.BYTES_PER_ELEMENT
/** Whoever gave no sign of life for so long is dead, paused or busy: the others do not wait for it. */
const SIGN_OF_LIFE_MS = 150

/**
 * Who of many processes has waited longest for the lock. It says only whose turn it is to try: without it, or with
 * nonsense in it, the lock is as safe as before and goes to whoever happens to come at the right moment. That would be
 * fair on average, but the unlucky would wait five times as long as the others.
 */
export class WaitingLine {
  readonly #path: string
  readonly #clock: () => number
  readonly #me = Math.random()
  readonly #places = new Float64Array(PLACES * FIELDS)
  #file: number | undefined
  /** Since when this one waits, or undefined when it does not. */
  #since: number | undefined
  #place: number | undefined

  constructor(path: string, clock = monotonic) {
    this.#path = path
    this.#clock = clock
  }

  /** How many others have waited longer. Whoever asks before it waits is behind everybody who does. */
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

  /** Takes a place at the end, or gives a sign of life. */
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
    // A clock that was started anew makes old signs look as if they came from the future.
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

  /** A disk that is full or broken is for the transaction to report. */
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

/** The same for all processes of a machine, and never set back. */
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
