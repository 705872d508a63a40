import {
  closeSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { MACHINE_CLOCK } from '../../core/clock/machine-clock.ts'
import { isRunning } from '../process-identity.ts'

/** A lock that was not renewed for longer belongs to a process that was killed, perhaps on another machine. */
const STALE_MS = 15_000
const RENEWAL_MS = 3_000

export interface FileLock {
  /** False once another process took it over, because this one seemed to have stopped. */
  isHeld(): boolean
}

/**
 * Runs `work` with a lock file, or without the lock if it could not be had within `timeoutMs`: `work` decides whether it
 * can do without.
 */
export async function withFileLock<T>(
  path: string,
  timeoutMs: number,
  work: (lock: FileLock | undefined) => Promise<T>,
): Promise<T> {
  const owner = `${process.pid} ${hostname()} ${randomUUID()}`
  const deadline = performance.now() + timeoutMs
  let isLocked = tryLock(path, owner)
  while (!isLocked && performance.now() < deadline) {
    await sleep(1 + 8 * Math.random())
    removeAbandoned(path)
    isLocked = tryLock(path, owner)
  }
  if (!isLocked) return await work(undefined)
  const isHeld = (): boolean => ownerOf(path) === owner
  const renewal = setInterval(() => isHeld() && renew(path), RENEWAL_MS).unref()
  try {
    return await work({ isHeld })
  } finally {
    clearInterval(renewal)
    if (isHeld()) removeLock(path)
  }
}

function tryLock(path: string, owner: string): boolean {
  try {
    const file = openSync(path, 'wx', 0o600)
    writeSync(file, owner)
    closeSync(file)
    return true
  } catch {
    // Held by another process, or the folder is read-only; in that case `work` reports the error.
    return false
  }
}

function ownerOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return undefined
  }
}

function removeAbandoned(path: string): void {
  const owner = ownerOf(path)
  if (owner === undefined || !isAbandoned(path, owner)) return
  // Another process may have removed it meanwhile and hold one of its own.
  if (ownerOf(path) === owner) removeLock(path)
}

function isAbandoned(path: string, owner: string): boolean {
  try {
    const [pid, host] = owner.split(' ')
    if (host === hostname() && !isRunning(Number(pid))) return true
    return MACHINE_CLOCK.now() - statSync(path).mtimeMs > STALE_MS
  } catch {
    return false
  }
}

function renew(path: string): void {
  try {
    const now = new Date(MACHINE_CLOCK.now())
    utimesSync(path, now, now)
  } catch {
    // Taken over at this moment, which `isHeld` will say.
  }
}

function removeLock(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // Already gone.
  }
}
