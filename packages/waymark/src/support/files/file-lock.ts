import { closeSync, openSync, readFileSync, statSync, unlinkSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { MACHINE_CLOCK } from '../../core/clock/machine-clock.ts'
import { isRunning } from '../process-identity.ts'

/** A lock held for longer belongs to a process that was killed, perhaps on another machine. */
const STALE_MS = 15_000

/**
 * Runs `work` while holding a lock file. The lock is advisory and only reduces contention: `work` itself is safe against
 * concurrent writers, so after `timeoutMs` it runs without the lock.
 */
export async function withFileLock<T>(
  path: string,
  timeoutMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + timeoutMs
  let held = tryLock(path)
  while (!held && performance.now() < deadline) {
    await sleep(1 + 8 * Math.random())
    if (isAbandoned(path)) removeLock(path)
    held = tryLock(path)
  }
  try {
    return await work()
  } finally {
    if (held) removeLock(path)
  }
}

function tryLock(path: string): boolean {
  try {
    const file = openSync(path, 'wx', 0o600)
    writeSync(file, `${process.pid} ${hostname()}\n`)
    closeSync(file)
    return true
  } catch {
    // Held by another process, or the folder is read-only; in that case `work` reports the error.
    return false
  }
}

function isAbandoned(path: string): boolean {
  try {
    const [pid, host] = readFileSync(path, 'utf8').trim().split(' ')
    if (host === hostname() && !isRunning(Number(pid))) return true
    return MACHINE_CLOCK.now() - statSync(path).mtimeMs > STALE_MS
  } catch {
    return false
  }
}

function removeLock(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // Already gone.
  }
}
