import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, statSync, unlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { MACHINE_CLOCK } from '../../core/clock/machine-clock.ts'
import { createFile, readRegularFile } from '../../support/files/regular-file.ts'
import { assertPlainTree } from '../../support/files/state-entries.ts'
import { sha256 } from '../../support/hash/sha256.ts'
import { hasCode } from '../../support/system-error.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** A session ends when it was not used for so long. */
const SESSION_MS = 12 * HOUR
/** How often the use of a session is written down at most. */
const RENEWAL_MS = 10 * MINUTE
const CODE_MS = MINUTE
/** A read-only link may lie in a chat before it is opened. */
export const LINK_MS = 24 * HOUR
const LARGEST_RECORD = 1024

/** Tells tokens of the page from secrets and OAuth tokens. */
const TOKEN = /^wmk_[\w-]{43}$/
const CODE = /^[\w-]{22}$/

export interface PageSession {
  /** Names the session in logs; the token cannot be derived from it. */
  readonly id: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
  readonly isReadOnly: boolean
}

interface CodeOptions {
  readonly isReadOnly: boolean
  readonly lifetimeMs?: number
}

/**
 * One-time codes and sessions of the page, one file each in the state folder, named by the hash of the code or token.
 * So they survive a restart of the server, and making a code takes the right to write the state folder: an agent that
 * only has the secret of the server cannot become the person.
 */
export interface PageSessions {
  createCode(options: CodeOptions): string
  /** The session for a code, which is used up by this; undefined if it is unknown, used or expired. */
  redeem(code: string): { readonly token: string; readonly session: PageSession } | undefined
  /** The session of a token, renewed; undefined if it is unknown or expired. */
  find(token: string): PageSession | undefined
  /** Whether a session has not ended; asking counts as use. */
  isOpen(session: Pick<PageSession, 'id'>): boolean
  end(session: Pick<PageSession, 'id'>): void
  endAll(): void
}

export function createPageSessions(
  stateDir: string,
  now: () => number = () => MACHINE_CLOCK.now(),
): PageSessions {
  const folder = pageFolder(stateDir)
  const pathOf = (kind: Kind, secret: string): string => join(folder, `${kind}-${sha256(secret)}`)
  return {
    createCode({ isReadOnly, lifetimeMs = CODE_MS }) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      sweep(folder, now())
      const code = randomBytes(16).toString('base64url')
      write(pathOf('code', code), { expiresAt: now() + lifetimeMs, isReadOnly })
      return code
    },

    redeem(code) {
      if (!CODE.test(code)) return undefined
      const path = pathOf('code', code)
      const found = readRecord(path)
      // Of two requests with the same code only one removes the file.
      if (found === undefined || !removed(path) || found.expiresAt <= now()) return undefined
      const token = `wmk_${randomBytes(32).toString('base64url')}`
      const expiresAt = now() + SESSION_MS
      write(pathOf('session', token), { expiresAt, isReadOnly: found.isReadOnly })
      return { token, session: { ...found, expiresAt, id: idOf(token) } }
    },

    find(token) {
      if (!TOKEN.test(token)) return undefined
      const path = pathOf('session', token)
      const found = readRecord(path)
      const expiresAt = use(path)
      if (found === undefined || expiresAt === undefined) return undefined
      return { id: idOf(token), expiresAt, isReadOnly: found.isReadOnly }
    },

    isOpen: ({ id }) => use(join(folder, `session-${id}`)) !== undefined,

    end: ({ id }) => rmSync(join(folder, `session-${id}`), { force: true }),

    endAll() {
      for (const name of namesIn(folder)) rmSync(join(folder, name), { force: true })
    },
  }

  /** When the session of a file expires; undefined if it has. */
  function use(path: string): number | undefined {
    const usedAt = usedAtOf(path) ?? 0
    const expiresAt = usedAt + SESSION_MS
    if (expiresAt <= now()) return undefined
    if (now() - usedAt >= RENEWAL_MS) markUsed(path, now())
    return expiresAt
  }

  function write(path: string, record: StoredRecord): void {
    createFile(path, JSON.stringify(record))
    markUsed(path, now())
  }
}

/** Where a project keeps what belongs to its page. */
export function pageFolder(stateDir: string): string {
  const folder = join(stateDir, 'ui')
  assertPlainTree(folder)
  return folder
}

type Kind = 'code' | 'session'

interface StoredRecord {
  /** Of a code; a session expires some time after it was used last, which is the time of its file. */
  readonly expiresAt: number
  readonly isReadOnly: boolean
}

/** The name of a file is a hash, so it is no secret. */
function idOf(token: string): string {
  return sha256(token)
}

function readRecord(path: string): StoredRecord | undefined {
  const text = readRegularFile(path, LARGEST_RECORD)
  if (text === undefined) return undefined
  try {
    const { expiresAt, isReadOnly } = JSON.parse(text) as Partial<StoredRecord>
    // Anything but a clear yes to writing is read-only.
    return { expiresAt: Number(expiresAt) || 0, isReadOnly: isReadOnly !== false }
  } catch {
    return undefined
  }
}

function removed(path: string): boolean {
  try {
    unlinkSync(path)
    return true
  } catch (error) {
    if (hasCode(error, ['ENOENT'])) return false
    throw error
  }
}

function usedAtOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs
}

function markUsed(path: string, at: number): void {
  try {
    utimesSync(path, at / 1000, at / 1000)
  } catch (error) {
    // Ended by another process at this moment, or on a disk that is read-only now.
    if (!hasCode(error, ['ENOENT', 'EROFS', 'EPERM'])) throw error
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => /^(?:code|session)-/.test(name))
  } catch (error) {
    if (hasCode(error, ['ENOENT'])) return []
    throw error
  }
}

function sweep(folder: string, now: number): void {
  for (const name of namesIn(folder)) {
    const path = join(folder, name)
    const isOver = name.startsWith('code-')
      ? (readRecord(path)?.expiresAt ?? 0) <= now
      : (usedAtOf(path) ?? 0) + SESSION_MS <= now
    if (isOver) rmSync(path, { force: true })
  }
}
