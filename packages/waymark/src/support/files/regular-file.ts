import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { sep } from 'node:path'
import { Failure, type FailureCode } from '../../core/error.ts'
import { hasCode } from '../system-error.ts'

/** Follows no symlink and does not wait for the other side of a pipe. Windows has neither flag. */
const NO_FOLLOW = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** How a refused file is named, and with which code it is refused. */
interface Refusing {
  readonly name?: string
  readonly code?: FailureCode
}

const OPEN_FLAGS = {
  read: constants.O_RDONLY,
  write: constants.O_RDWR,
  create: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL,
} as const

/**
 * Opens the regular file that has exactly this path: not what a symlink leads to, no pipe, device or folder, and for
 * writing none that has a second name. Undefined if there is none, or for `create` if there is one.
 */
export function openRegularFile(
  path: string,
  access: keyof typeof OPEN_FLAGS,
  refusing: Refusing = {},
): number | undefined {
  // Where the system cannot be told not to follow a symlink.
  if (constants.O_NOFOLLOW === undefined && !isRegular(path, refusing) && access !== 'create') {
    return undefined
  }
  const file = openExactly(path, access, refusing)
  if (file === undefined) return undefined
  try {
    const found = fstatSync(file)
    assertRegular(found, path, refusing)
    if (access !== 'read') assertOneName(found, path, refusing)
    return file
  } catch (error) {
    closeSync(file)
    throw error
  }
}

function openExactly(
  path: string,
  access: keyof typeof OPEN_FLAGS,
  refusing: Refusing,
): number | undefined {
  try {
    return openSync(path, OPEN_FLAGS[access] | NO_FOLLOW, 0o600)
  } catch (error) {
    if (hasCode(error, ['ENOENT', 'ENOTDIR', 'EEXIST'])) return undefined
    // A symlink, a socket and a folder are refused by the system itself, each with another code.
    isRegular(path, refusing)
    throw error
  }
}

/** The text of a regular file of at most `limit` bytes; undefined if there is none. */
export function readRegularFile(
  path: string,
  limit: number,
  refusing: Refusing = {},
): string | undefined {
  const file = openRegularFile(path, 'read', refusing)
  if (file === undefined) return undefined
  try {
    const { size } = fstatSync(file)
    if (size <= limit) return readFileSync(file, 'utf8')
    throw refusal(path, `has ${size} bytes and may have at most ${limit}`, refusing)
  } finally {
    closeSync(file)
  }
}

/** Makes a file for its owner alone. False, and nothing has changed, if anything has the name. */
export function createFile(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { mode: 0o600, flag: 'wx' })
    return true
  } catch (error) {
    if (hasCode(error, ['EEXIST'])) return false
    throw error
  }
}

/** Whether there is a regular file; anything else that is there is a Failure. */
function isRegular(path: string, refusing: Refusing): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return false
  assertRegular(found, path, refusing)
  return true
}

type Kind = Pick<Stats, 'isFile' | 'isDirectory' | 'isFIFO' | 'isSymbolicLink'>

export function assertRegular(found: Kind, path: string, refusing: Refusing = {}): void {
  if (found.isFile()) return
  if (found.isSymbolicLink()) throw linked(path, refusing)
  const kind = found.isDirectory() ? 'folder' : found.isFIFO() ? 'named pipe' : 'socket or device'
  throw notRegular(kind, path, refusing)
}

export function notRegular(kind: string, path: string, refusing: Refusing = {}): Failure {
  if (kind === 'symbolic link') return linked(path, refusing)
  return refusal(path, `is a ${kind}, not a regular file; move it away`, refusing)
}

/** Writing to a file in place changes it under all of its names, also outside of the project. */
export function assertOneName({ nlink }: Stats, path: string, refusing: Refusing = {}): void {
  if (nlink <= 1) return
  const problem = 'has a second name (a hard link) whose content would change as well'
  throw refusal(path, `${problem}; put a copy in its place, or remove it`, refusing)
}

export function linked(path: string, refusing: Refusing = {}): Failure {
  const remedy = 'put what it leads to in its place if that is yours, or remove it'
  return refusal(path, `is a symbolic link, which Waymark does not follow; ${remedy}`, refusing)
}

function refusal(
  path: string,
  problem: string,
  { name = toOwnPath(path), code = 'storage_unavailable' }: Refusing,
): Failure {
  return new Failure(code, `${name} ${problem}`, { details: { path: name } })
}

/** A path of Git's or Waymark's own as a user would type it at the top of the project, never an absolute one. */
export function toOwnPath(path: string): string {
  const parts = path.split(sep)
  const own = Math.max(parts.lastIndexOf('.git'), parts.lastIndexOf('.waymark'))
  return (own === -1 ? parts.slice(-2) : parts.slice(own)).join('/')
}
