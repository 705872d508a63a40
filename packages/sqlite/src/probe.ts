import { accessSync, closeSync, constants, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { constants as system } from 'node:os'
import { dirname, join } from 'node:path'

const PROBE_BYTES = 1 << 16

export function isWritable(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK)
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Whether the disk of a file is full. Free space may be reserved for other users, so only a write can tell. */
export function isFull(path: string): boolean {
  const probe = join(dirname(path), `probe-${crypto.randomUUID()}`)
  try {
    const file = openSync(probe, 'wx', 0o600)
    try {
      writeSync(file, Buffer.alloc(PROBE_BYTES), 0, PROBE_BYTES, 0)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    return false
  } catch (error) {
    return isOutOfSpace(error)
  } finally {
    rmSync(probe, { force: true })
  }
}

/** Node has no name for an exceeded quota, only its number. */
function isOutOfSpace(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const isQuota = 'errno' in error && error.errno === -system.errno.EDQUOT
  return isQuota || ('code' in error && error.code === 'ENOSPC')
}
