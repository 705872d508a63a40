import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure, FAILURES } from '../../core/error.ts'
import type { RemoteCall } from '../../core/remote.ts'
import { readRegularFile } from '../../support/files/regular-file.ts'
import { hasCode } from '../../support/system-error.ts'

/** A write that waits until the team server can be reached. */
export type QueuedCall = Omit<RemoteCall, 'signal' | 'idempotencyKey'> & {
  /** The server answers a second delivery with the first answer. */
  readonly idempotencyKey: string
}

const LARGEST_FILE = 8 * 1024 * 1024
const MOST_QUEUED = 1000
const ENDING = '.json'

/** Whether a call may wait: it adds something of its own, and its place among other changes does not matter. */
export function mayWait(operation: string, input: unknown): boolean {
  if (operation === 'message.send') return true
  if (operation !== 'entity.create') return false
  const { type, relations } = { ...(input as { type?: unknown; relations?: unknown } | null) }
  return type === 'note' && (relations === undefined || isEmpty(relations))
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/** Writes a call down, on disk before it returns. Its name gives its place in the queue. */
export function enqueue(stateDir: string, at: number, call: QueuedCall): void {
  const folder = folderOf(stateDir)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (queued(stateDir).length >= MOST_QUEUED)
    throw new Failure(
      'storage_full',
      `${MOST_QUEUED} messages and notes wait for the team server already`,
    )
  const path = join(folder, `${String(at).padStart(15, '0')}-${call.idempotencyKey}${ENDING}`)
  const draft = `${path}.draft`
  writeFileSync(draft, JSON.stringify(call), { mode: 0o600, flag: 'wx', flush: true })
  renameSync(draft, path)
}

/** The files of calls that wait, oldest first. */
export function queued(stateDir: string): readonly string[] {
  try {
    const names = readdirSync(folderOf(stateDir)).filter((name) => name.endsWith(ENDING))
    return names.toSorted()
  } catch (error) {
    if (hasCode(error, ['ENOENT'])) return []
    throw error
  }
}

/** What became of the calls that waited. */
export interface Delivered {
  readonly sent: number
  /** Why the server has refused others; they are kept beside the queue. */
  readonly refused: readonly string[]
}

/**
 * Sends what waits, oldest first. Several processes may do so at once: the idempotency keys make it take effect once. A
 * call that the server refuses for good is set aside.
 */
export async function deliver(
  stateDir: string,
  send: (call: QueuedCall) => Promise<unknown>,
): Promise<Delivered> {
  const folder = folderOf(stateDir)
  const refused: string[] = []
  let sent = 0
  for (const name of queued(stateDir)) {
    const path = join(folder, name)
    const text = readRegularFile(path, LARGEST_FILE)
    if (text === undefined) continue
    try {
      await send(JSON.parse(text) as QueuedCall)
      sent += 1
    } catch (error) {
      if (!(error instanceof Failure) || FAILURES[error.code].retryable) throw error
      refused.push(error.message)
      renameSync(path, `${path}.refused`)
      continue
    }
    rmSync(path, { force: true })
  }
  return { sent, refused }
}

function folderOf(stateDir: string): string {
  return join(stateDir, 'outbox')
}
