import { closeSync, fstatSync, openSync, readFileSync, readlinkSync, unlinkSync } from 'node:fs'
import { tmpdir, uptime } from 'node:os'
import { join } from 'node:path'
import type { Clock, Uptime } from './clock.ts'

/** File systems round times, FAT to two seconds. */
const TOLERANCE_MS = 5000

/** How long a comparison is good, and how much of a step ends it early. */
const CHECKED_MS = 60_000
const SET_MS = 1000

/** Creating a file takes less than this unless the process is suspended. */
const PROMPT_MS = 500
const ATTEMPTS = 3

interface Sources {
  /** The clock of this process, which a preloaded library may fake. */
  readonly wall: () => number
  readonly monotonic: () => number
  /** The modification time of a new file; undefined where none can be created. */
  readonly fileTime: () => number | undefined
  readonly boot: () => number
  /** Milliseconds since the boot. */
  readonly uptime: () => number
}

/**
 * The clock of this machine. A library such as libfaketime fakes the time that one process sees, but the times of files
 * come from the kernel: the two are compared, and where they differ the kernel's is used, because a store is shared by
 * all processes of the machine.
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

  /** By how many milliseconds the process clock is ahead of the machine's; negative when it is behind. */
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

  /** Undefined where no file can be created. */
  #measure(): number | undefined {
    const { wall, fileTime } = this.#sources
    for (let attempt = 1; ; attempt += 1) {
      const before = wall()
      const time = fileTime()
      const after = wall()
      if (time === undefined) return undefined
      if (time > before - TOLERANCE_MS && time < after + TOLERANCE_MS) return 0
      // The process may have been suspended in between.
      if (after - before < PROMPT_MS || attempt === ATTEMPTS) return Math.round(after - time)
    }
  }
}

const SYSTEM: Sources = {
  wall: () => Date.now(),
  // Not `performance`, whose module is loaded at its first use.
  monotonic: () => process.uptime() * 1000,
  fileTime: timeOfNewFile,
  boot: numberOfBoot,
  uptime: () => Math.round(uptime() * 1000),
}

/** Shared by all contexts of this process. */
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
 * A number that changes with each boot. Containers may have an uptime of their own, so each counts as a machine. On
 * systems without a boot id it is constant, and a smaller uptime tells of a restart.
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
