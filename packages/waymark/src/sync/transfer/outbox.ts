import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../core/error.ts'
import type { Remote, RemoteCall } from '../../core/remote.ts'
import { makeFolder, putFile } from '../../support/files/put-file.ts'
import { assertPlainTree } from '../../support/files/state-entries.ts'
import { sha256 } from '../../support/hash/sha256.ts'
import { hasCode } from '../../support/system-error.ts'

/** A write that waits until the team server can be reached. */
export type QueuedCall = Omit<RemoteCall, 'signal' | 'idempotencyKey'> & {
  /** The server answers a second delivery with the first answer. */
  readonly idempotencyKey: string
}

/** Whom a call waits for: a clone may join another server in the meantime. */
export interface Recipient extends Pick<Remote, 'url' | 'project'> {
  /** Of the user, who keeps it outside of the state folder. */
  readonly token: string
}

const MOST_QUEUED = 1000
/** Bytes of one call, far above what an operation accepts. */
export const LARGEST_QUEUED = 8 * 1024 * 1024
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

interface Enqueued {
  readonly at: number
  readonly recipient: Recipient
  readonly call: QueuedCall
}

/** Writes a call down, on disk before it resolves. Its name gives its place in the queue. */
export async function enqueue(stateDir: string, { at, recipient, call }: Enqueued): Promise<void> {
  const folder = folderOf(stateDir)
  await makeFolder(folder, 0o700)
  if (queued(stateDir).length >= MOST_QUEUED)
    throw new Failure(
      'storage_full',
      `${MOST_QUEUED} messages and notes wait for the team server already`,
    )
  // Callers choose their keys: a hash is a file name, a key may be a path.
  const name = `${String(at).padStart(15, '0')}-${sha256(call.idempotencyKey)}${ENDING}`
  const { url, project } = recipient
  const proof = call.isPerson === true ? proveWritten(recipient, call) : undefined
  const text = JSON.stringify({ url, project, call, proof })
  if (Buffer.byteLength(text) > LARGEST_QUEUED)
    throw new Failure('invalid_input', `the call has more than ${LARGEST_QUEUED} bytes`)
  await putFile(join(folder, name), (file) => file.writeFile(text), { mode: 0o600 })
}

/** What only a process that has the token can write beside a call: an archive can bring the folder of calls. */
export function proveWritten(
  { url, project, token }: Recipient,
  { operation, input, idempotencyKey }: QueuedCall,
): string {
  const text = JSON.stringify([url, project, operation, input, idempotencyKey])
  return process
    .getBuiltinModule('node:crypto')
    .createHmac('sha256', token)
    .update(text)
    .digest('hex')
}

/** The files of calls that wait, oldest first. */
export function queued(stateDir: string): readonly string[] {
  const folder = folderOf(stateDir)
  assertPlainTree(folder)
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(ENDING))
      .toSorted()
  } catch (error) {
    if (hasCode(error, ['ENOENT'])) return []
    throw error
  }
}

export function folderOf(stateDir: string): string {
  return join(stateDir, 'outbox')
}
