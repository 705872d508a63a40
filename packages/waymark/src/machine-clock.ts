import { closeSync, fstatSync, openSync, readFileSync, readlinkSync, unlinkSync } from 'node:fs'
import { tmpdir, uptime } from 'node:os'
import { join } from 'node:path'
import type { Clock, Uptime } from './domain/clock.ts'

/** File systems round times; the coarsest in use to two seconds. */
const TOLERANCE_MS = 5000

/** So long a comparison is good, unless the clock is set meanwhile. */
const CHECKED_MS = 60_000
const SET_MS = 1000

/** Making a file takes less. */
const PROMPT_MS = 500
const ATTEMPTS = 3

interface Sources {
  /** The clock of this process, which may have been tampered with. */
  readonly wall: () => number
  readonly monotonic: () => number
  /** What the system writes beside a file at this moment; undefined where no file can be made. */
  readonly fileTime: () => number | undefined
  readonly boot: () => number
  /** Milliseconds since then. */
  readonly uptime: () => number
}

/**
 * The clock of this machine. Preloaded libraries and test harnesses change the time that one process sees. The time of a
 * new file comes from the system, so the two are compared, and where they differ the system's is told: a store belongs
 * to all processes of a machine.
 */
export class MachineClock implements Clock {
  readonly #sources: Sources
  #checked: { readonly at: number; readonly setting: number } | undefined
  #error = 0
  #boot: number | undefined

  constructor(sources: Sources = SYSTEM) {
    this.#sources = sources
  }

  now(): number {
    this.#check()
    return this.#sources.wall() - this.#error
  }

  uptime(): Uptime {
    const { boot, uptime } = this.#sources
    return { boot: (this.#boot ??= boot()), ms: uptime() }
  }

  /** By how many milliseconds the clock of this process is ahead of the machine's; negative when it is behind. */
  get error(): number {
    this.#check()
    return this.#error
  }

  #check(): void {
    const { wall, monotonic } = this.#sources
    const at = monotonic()
    const setting = wall() - at
    const last = this.#checked
    const isSet = last === undefined || Math.abs(setting - last.setting) >= SET_MS
    if (!isSet && at - last.at < CHECKED_MS) return
    this.#checked = { at, setting }
    this.#error = this.#measure() ?? this.#error
  }

  /** Undefined where nothing tells. */
  #measure(): number | undefined {
    const { wall, fileTime } = this.#sources
    for (let attempt = 1; ; attempt += 1) {
      const before = wall()
      const time = fileTime()
      const after = wall()
      if (time === undefined) return undefined
      if (time > before - TOLERANCE_MS && time < after + TOLERANCE_MS) return 0
      // The process may have been stopped in between.
      if (after - before < PROMPT_MS || attempt === ATTEMPTS) return Math.round(after - time)
    }
  }
}

const SYSTEM: Sources = {
  wall: () => Date.now(),
  monotonic: () => performance.now(),
  fileTime: timeOfNewFile,
  boot: numberOfBoot,
  uptime: () => Math.round(uptime() * 1000),
}

/** What all contexts of this process share. */
export const MACHINE_CLOCK = new MachineClock()

function timeOfNewFile(): number | undefined {
  const path = join(tmpdir(), `waymark-clock-${process.pid}-${process.hrtime.bigint()}`)
  try {
    const file = openSync(path, 'wx', 0o600)
    try {
      return fstatSync(file).mtimeMs
    } finally {
      closeSync(file)
      unlinkSync(path)
    }
  } catch {
    return undefined
  }
}

/**
 * Another number after each start of the machine. Containers may count an uptime of their own, so each of them counts as
 * a machine. Systems without such an id always give the same number: there a smaller uptime tells of another start.
 */
function numberOfBoot(): number {
  if (process.platform !== 'linux') return 0
  const id = [
    readOr(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    readOr(() => readlinkSync('/proc/self/ns/pid')),
    readOr(() => readlinkSync('/proc/self/ns/time')),
  ].join()
  // Loading Node's crypto for it would take longer than most commands run.
  let hash = 0
  for (const character of id) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 2 ** 40
  return hash
}

function readOr(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
