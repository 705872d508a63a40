import { closeSync, openSync, readFileSync, statSync, unlinkSync, writeSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { MACHINE_CLOCK } from '../../machine-clock.ts'
import { isRunning } from '../../process-identity.ts'

/** Nobody holds the lock for so long: whoever took it was killed, perhaps on another machine. */
const STALE_MS = 15_000

/**
 * Runs `work` while holding a lock file. The lock only keeps writers from getting in each other's way; that nothing
 * is lost is up to `work`, so waiting ends after `patienceMs` and the work is done without the lock.
 */
export async function withFileLock<T>(
  path: string,
  patienceMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + patienceMs
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
    // Held by somebody, or the folder cannot be written to: then the work itself will say so.
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
