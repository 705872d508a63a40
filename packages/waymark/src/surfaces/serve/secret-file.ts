import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../core/error.ts'
import { isUsableSecret, USABLE_SECRET } from '../../core/project/setting-kinds.ts'
import { createFile, readRegularFile } from '../../support/files/regular-file.ts'

const LARGEST_FILE = 4096

/** Where a project keeps the secret of its server. */
export function secretPath(stateDir: string): string {
  return join(stateDir, 'http-secret')
}

/** Remedies: a deleted secret is generated again only where Waymark made it. */
const REMEDIES = {
  ours: 'delete it for a new one',
  chosen: 'put another secret into it',
} as const

/** The secret in a file of the user's own choice, which may be a link or a pipe: secrets are mounted as such. */
export function readSecretFile(path: string): string {
  const secret = readIfPresent(path, () => readFileSync(path, 'utf8'))
  if (secret === undefined) throw absent(path)
  return checked(path, secret, REMEDIES.chosen)
}

/** The secret in the file, which is made for its owner's eyes alone when it is not there. */
export function openSecretFile(path: string): string {
  const read = () => readIfPresent(path, () => readRegularFile(path, LARGEST_FILE))
  const known = read()
  if (known !== undefined) return checked(path, known, REMEDIES.ours)
  try {
    // Another server may have been quicker; then its secret is ours too.
    createFile(path, `${randomBytes(32).toString('base64url')}\n`)
  } catch (error) {
    throw new Failure('storage_read_only', `the secret cannot be written to ${path}`, {
      cause: error,
    })
  }
  const made = read()
  if (made === undefined) throw absent(path)
  return checked(path, made, REMEDIES.ours)
}

function absent(path: string): Failure {
  return problem(path, `is not there: it must hold ${USABLE_SECRET}, or be left out of the options`)
}

function checked(path: string, text: string, remedy: string): string {
  const secret = text.trim()
  // Windows keeps no such bits; there the folder's own rights have to do.
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
    throw problem(
      path,
      `can be read by others: run chmod 600 ${path}, and if another user may have read it, ${remedy}`,
    )
  if (!isUsableSecret(secret)) throw problem(path, `must hold ${USABLE_SECRET}; ${remedy}`)
  return secret
}

function readIfPresent(path: string, read: () => string | undefined): string | undefined {
  try {
    return read()
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    if (error instanceof Failure) throw error
    throw problem(path, 'cannot be read', error)
  }
}

function problem(path: string, message: string, cause?: unknown): Failure {
  return new Failure('invalid_input', `the secret file ${path} ${message}`, { cause })
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
