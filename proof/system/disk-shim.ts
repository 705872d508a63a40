import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const SOURCE = fileURLToPath(new URL('disk-shim.c', import.meta.url))
const LIBRARY = fileURLToPath(
  new URL(`../../node_modules/.cache/proof/disk-shim-${process.pid}.so`, import.meta.url),
)

/** What is missing for watching the disk calls of a process. */
export function shimObstacle(): string | undefined {
  if (process.platform !== 'linux') return 'needs Linux'
  return spawnSync('cc', ['--version']).status === 0
    ? undefined
    : 'needs a C compiler: install one that is called cc'
}

export interface ShimOptions {
  /** Only files below this folder are watched. */
  readonly root: string
  /** Where every change is written down. */
  readonly journal?: string
  readonly fail?: DiskFault
  /** Counts the calls of these kinds in the journal instead of making one fail. */
  readonly count?: string
}

/** Which calls are to fail, counted from 1 among those of the given kinds, and how. */
export interface DiskFault {
  readonly from: number
  readonly to: number
  /** `SHORT`: half of a write is done. */
  readonly error: 'EIO' | 'ENOSPC' | 'EDQUOT' | 'EINTR' | 'EMFILE' | 'ENOLCK' | 'SHORT'
  /** Letters: w(rite), s(ync), t(runcate), n(ame), o(pen), l(ock). */
  readonly calls: string
}

/** The environment in which a process is watched. */
export function withShim({ root, journal, fail, count }: ShimOptions): NodeJS.ProcessEnv {
  if (!existsSync(LIBRARY)) {
    mkdirSync(dirname(LIBRARY), { recursive: true })
    execFileSync('cc', ['-O1', '-shared', '-fPIC', '-o', LIBRARY, SOURCE, '-ldl', '-lpthread'])
  }
  return {
    LD_PRELOAD: LIBRARY,
    SHIM_ROOT: root,
    ...(journal !== undefined && { SHIM_JOURNAL: journal }),
    ...(count !== undefined && { SHIM_FAIL_CALLS: count }),
    ...(fail !== undefined && {
      SHIM_FAIL_FROM: String(fail.from),
      SHIM_FAIL_TO: String(fail.to),
      SHIM_FAIL_ERRNO: String(fail.error === 'SHORT' ? 0 : constants.errno[fail.error]),
      SHIM_FAIL_CALLS: fail.calls,
    }),
  }
}

export type DiskCall =
  | {
      readonly kind: 'write'
      readonly path: string
      readonly offset: number
      readonly data: Buffer
    }
  | { readonly kind: 'truncate'; readonly path: string; readonly length: number }
  | { readonly kind: 'flush' | 'create' | 'remove' | 'folder'; readonly path: string }
  | { readonly kind: 'rename'; readonly path: string; readonly to: string }
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'counted' }

const HEAD = 17

export function readJournal(file: string): DiskCall[] {
  const bytes = readFileSync(file)
  const calls: DiskCall[] = []
  for (let at = 0; at + HEAD <= bytes.length;) {
    const kind = String.fromCharCode(bytes[at] ?? 0)
    const pathLength = bytes.readUInt32LE(at + 1)
    const offset = Number(bytes.readBigInt64LE(at + 5))
    const length = bytes.readUInt32LE(at + 13)
    const path = bytes.toString('utf8', at + HEAD, at + HEAD + pathLength)
    const data = bytes.subarray(at + HEAD + pathLength, at + HEAD + pathLength + length)
    calls.push(toCall(kind, path, offset, data))
    at += HEAD + pathLength + length
  }
  return calls
}

function toCall(kind: string, path: string, offset: number, data: Buffer): DiskCall {
  switch (kind) {
    case 'w':
      return { kind: 'write', path, offset, data }
    case 't':
      return { kind: 'truncate', path, length: offset }
    case 'f':
      return { kind: 'flush', path }
    case 'c':
      return { kind: 'create', path }
    case 'd':
      return { kind: 'folder', path }
    case 'u':
      return { kind: 'remove', path }
    case 'r':
      return { kind: 'rename', path, to: data.toString() }
    case 'n':
      return { kind: 'counted' }
    case 'a':
      return { kind: 'answer', text: data.toString() }
    default:
      throw new Error(`the journal has a record of unknown kind ${kind}`)
  }
}
